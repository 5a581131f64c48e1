//go:build linux

package powercut

import (
	"context"
	"maps"
	"slices"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

var (
	_ fs.NodeLookuper       = (*node)(nil)
	_ fs.NodeCreater        = (*node)(nil)
	_ fs.NodeMkdirer        = (*node)(nil)
	_ fs.NodeSymlinker      = (*node)(nil)
	_ fs.NodeLinker         = (*node)(nil)
	_ fs.NodeUnlinker       = (*node)(nil)
	_ fs.NodeRmdirer        = (*node)(nil)
	_ fs.NodeRenamer        = (*node)(nil)
	_ fs.NodeOpendirHandler = (*node)(nil)
)

// show returns the node of an inode.
func (n *node) show(ctx context.Context, i *inode, out *fuse.EntryOut) *fs.Inode {
	child := &node{disk: n.disk, inode: i, power: n.power}
	child.attributes(&out.Attr)
	return n.NewInode(ctx, child, fs.StableAttr{Mode: i.mode, Ino: i.number})
}

// Lookup implements [fs.NodeLookuper].
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.disk.begin(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	i := n.inode.names[name]
	if i == nil {
		return nil, syscall.ENOENT
	}
	return n.show(ctx, i, out), 0
}

// add makes an inode by a new name. The disk is locked.
func (n *node) add(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) *fs.Inode {
	i := n.disk.inode(mode, n.inode.uid, n.inode.gid)
	if c, ok := fuse.FromContext(ctx); ok {
		i.uid, i.gid = c.Uid, c.Gid
	}
	n.inode.put(name, i)
	return n.show(ctx, i, out)
}

// Create implements [fs.NodeCreater].
func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.disk.change(n.power); errno != 0 {
		return nil, nil, 0, errno
	}
	defer n.disk.mu.Unlock()
	return n.add(ctx, name, syscall.S_IFREG|mode&0o7777, out), nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Mkdir implements [fs.NodeMkdirer].
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.disk.change(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	return n.add(ctx, name, syscall.S_IFDIR|mode&0o7777, out), 0
}

// Symlink implements [fs.NodeSymlinker]. Its target is kept with its name.
func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.disk.change(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	child := n.add(ctx, name, syscall.S_IFLNK|0o777, out)
	i := n.inode.names[name]
	i.target, i.live.size = target, int64(len(target))
	out.Size = uint64(len(target))
	return child, 0
}

// Link implements [fs.NodeLinker].
func (n *node) Link(ctx context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.disk.change(n.power); errno != 0 {
		return nil, errno
	}
	defer n.disk.mu.Unlock()
	i := target.(*node).inode
	n.inode.put(name, i)
	return n.show(ctx, i, out), 0
}

// Unlink implements [fs.NodeUnlinker].
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	if errno := n.disk.change(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	n.inode.remove(name)
	return 0
}

// Rmdir implements [fs.NodeRmdirer].
func (n *node) Rmdir(_ context.Context, name string) syscall.Errno {
	if errno := n.disk.change(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	if len(n.inode.names[name].names) > 0 {
		return syscall.ENOTEMPTY
	}
	n.inode.remove(name)
	return 0
}

// Flags of renameat2(2).
const renameNoReplace = 1

// Rename implements [fs.NodeRenamer].
func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	if flags&^renameNoReplace != 0 {
		return syscall.EINVAL
	}
	if errno := n.disk.change(n.power); errno != 0 {
		return errno
	}
	defer n.disk.mu.Unlock()
	child, dir := n.inode.names[name], to.(*node).inode
	switch old := dir.names[newName]; {
	case old == nil:
	case flags == renameNoReplace:
		return syscall.EEXIST
	case old == child:
		return 0
	case len(old.names) > 0:
		return syscall.ENOTEMPTY
	}
	n.inode.remove(name)
	dir.put(newName, child)
	return 0
}

// OpendirHandle implements [fs.NodeOpendirHandler].
func (n *node) OpendirHandle(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.disk.begin(n.power); errno != 0 {
		return nil, 0, errno
	}
	defer n.disk.mu.Unlock()
	l := &listing{node: n, names: slices.Sorted(maps.Keys(n.inode.names))}
	for _, name := range l.names {
		l.inodes = append(l.inodes, n.inode.names[name])
	}
	return l, 0, 0
}

// A listing is an open directory: its names as of then.
type listing struct {
	node   *node
	names  []string
	inodes []*inode
	next   int
}

var (
	_ fs.FileReaddirenter = (*listing)(nil)
	_ fs.FileSeekdirer    = (*listing)(nil)
	_ fs.FileFsyncdirer   = (*listing)(nil)
)

// Readdirent implements [fs.FileReaddirenter].
func (l *listing) Readdirent(context.Context) (*fuse.DirEntry, syscall.Errno) {
	if l.next == len(l.names) {
		return nil, 0
	}
	i := l.inodes[l.next]
	e := &fuse.DirEntry{Name: l.names[l.next], Mode: i.mode, Ino: i.number, Off: uint64(l.next + 1)}
	l.next++
	return e, 0
}

// Seekdir implements [fs.FileSeekdirer].
func (l *listing) Seekdir(_ context.Context, off uint64) syscall.Errno {
	if off > uint64(len(l.names)) {
		return syscall.EINVAL
	}
	l.next = int(off)
	if off == 0 { // rewinddir(3) looks anew
		h, _, errno := l.node.OpendirHandle(context.Background(), 0)
		if errno != 0 {
			return errno
		}
		*l = *h.(*listing)
	}
	return 0
}

// Fsyncdir implements [fs.FileFsyncdirer].
func (l *listing) Fsyncdir(context.Context, uint32) syscall.Errno {
	d := l.node.disk
	if errno := d.begin(l.node.power); errno != 0 {
		return errno
	}
	defer d.mu.Unlock()
	d.stats.Syncs++
	l.node.inode.syncDir(!d.options.Strict)
	return 0
}
