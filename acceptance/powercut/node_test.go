//go:build linux

package powercut

import (
	"context"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// A node is an inode as one mount shows it. What the kernel does by itself is left to it:
// locks of a file system that knows of none, the offsets of O_APPEND, and the fsync after
// each write with O_SYNC.
type node struct {
	fs.Inode
	disk  *Disk
	inode *inode
	power *power
}

var (
	_ fs.NodeGetattrer  = (*node)(nil)
	_ fs.NodeSetattrer  = (*node)(nil)
	_ fs.NodeOpener     = (*node)(nil)
	_ fs.NodeReader     = (*node)(nil)
	_ fs.NodeWriter     = (*node)(nil)
	_ fs.NodeFsyncer    = (*node)(nil)
	_ fs.NodeReadlinker = (*node)(nil)
	_ fs.NodeStatfser   = (*node)(nil)
)

// attributes fills out.
func (n *node) attributes(out *fuse.Attr) {
	i := n.inode
	out.Ino, out.Mode, out.Nlink = i.number, i.mode, uint32(max(1, len(i.at)))
	out.Uid, out.Gid = i.uid, i.gid
	out.SetTimes(nil, &i.changed, &i.changed)
	out.Size, out.Blksize = uint64(i.live.size), pageSize
	for _, page := range i.live.pages {
		if page != nil {
			out.Blocks += pageSize / 512 // stat(2) counts so, whatever the disk's sectors are
		}
	}
}

// Getattr implements [fs.NodeGetattrer].
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if errno := n.disk.begin(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	n.attributes(&out.Attr)
	return 0
}

// Setattr implements [fs.NodeSetattrer]. What it says of owners and modes is kept at once.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if errno := n.disk.change(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	i := n.inode
	if size, ok := in.GetSize(); ok {
		i.live.truncate(int64(size), &i.kept)
		i.changed = time.Now()
	}
	if mode, ok := in.GetMode(); ok {
		i.mode = i.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
	}
	if uid, ok := in.GetUID(); ok {
		i.uid = uid
	}
	if gid, ok := in.GetGID(); ok {
		i.gid = gid
	}
	if at, ok := in.GetMTime(); ok {
		i.changed = at
	}
	n.attributes(&out.Attr)
	return 0
}

// Open implements [fs.NodeOpener].
func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.disk.begin(n.power); errno != 0 {
		return nil, 0, errno
	}
	defer n.disk.mu.Unlock()
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Read implements [fs.NodeReader].
func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	if errno := n.disk.begin(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	return fuse.ReadResultData(dest[:n.inode.live.read(dest, off)]), 0
}

// Write implements [fs.NodeWriter].
func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if errno := n.disk.change(n.power); errno != 0 {
		return 0, errno
	}
	defer n.disk.mu.Unlock()
	i := n.inode
	i.live.write(data, off, &i.kept)
	i.changed = time.Now()
	return uint32(len(data)), 0
}

// Fsync implements [fs.NodeFsyncer].
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	if errno := n.disk.begin(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	n.disk.stats.Syncs++
	n.inode.sync(!n.disk.options.Strict)
	return 0
}

// Readlink implements [fs.NodeReadlinker].
func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	if errno := n.disk.begin(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	return []byte(n.inode.target), 0
}

// room is how large the disk seems: a server that asks gets enough.
const room = 1 << 40

// Statfs implements [fs.NodeStatfser].
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	if errno := n.disk.begin(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	out.Bsize, out.Frsize, out.NameLen = pageSize, pageSize, 255
	out.Blocks, out.Bfree, out.Bavail = room/pageSize, room/pageSize, room/pageSize
	out.Files, out.Ffree = 1<<32, 1<<32
	return 0
}
