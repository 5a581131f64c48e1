//go:build linux

package powercut

import (
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Options say how a Disk behaves.
type Options struct {
	// Strict has fsync of a file keep its bytes only: its name is kept by fsync of its
	// directory, as POSIX says.
	Strict bool
}

// A Disk is a file system that can be cut off. Its methods may be called from any
// goroutine, but Mount, Cut and Close from one at a time.
type Disk struct {
	options Options
	dir     string

	mu     sync.Mutex
	root   *inode
	last   uint64        // number of an inode
	power  *power        // of the present mount
	server *fuse.Server  // nil if it is not mounted
	left   int           // changes until the power fails, if cut is not nil
	failed chan struct{} // closed when it does
	stats  Stats
}

// Stats counts what was done to a Disk since it was made.
type Stats struct {
	Changes int // writes, truncations, and changes of names
	Syncs   int // calls of fsync and synchronous writes, of files and directories
	Cuts    int
}

// A power tells whether a mount has it: what a cut leaves behind is answered EIO.
type power struct{ off bool }

// NewDisk returns an empty disk.
func NewDisk(o Options) *Disk {
	d := &Disk{options: o}
	d.root = d.inode(syscall.S_IFDIR|0o755, uint32(os.Getuid()), uint32(os.Getgid()))
	return d
}

// inode returns a new one. A directory knows of none of its names.
func (d *Disk) inode(mode, uid, gid uint32) *inode {
	d.last++
	i := &inode{number: d.last, mode: mode, uid: uid, gid: gid, changed: time.Now(), at: map[place]bool{}}
	if i.isDir() {
		i.names, i.known = map[string]*inode{}, map[string]*inode{}
	}
	return i
}

// cached is how long the kernel may trust what it was told: for ever, since nothing
// changes but by its own calls.
var cached = time.Hour

// Mount shows the disk at dir, an empty directory. It needs root and /dev/fuse.
func (d *Disk) Mount(dir string) error {
	p := &power{}
	server, err := fs.Mount(dir, &node{disk: d, inode: d.root, power: p}, &fs.Options{
		MountOptions:    fuse.MountOptions{DirectMountStrict: true, FsName: "powercut", Name: "powercut", DisableXAttrs: true},
		EntryTimeout:    &cached,
		AttrTimeout:     &cached,
		NullPermissions: true,
		RootStableAttr:  &fs.StableAttr{Ino: d.root.number},
	})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dir, d.power, d.server, d.failed = dir, p, server, make(chan struct{})
	return nil
}

// FailAfter has the power fail in place of the change that comes after so many, and never
// if that is -1. Failed tells when: what programs do from then on is answered by errors, and
// changes nothing.
func (d *Disk) FailAfter(changes int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = changes + 1
}

// Failed returns a channel that is closed when the power fails. There is another one after
// each Mount.
func (d *Disk) Failed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Fail has the power fail now, unless it has.
func (d *Disk) Fail() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail()
}

func (d *Disk) fail() {
	if d.power != nil && !d.power.off {
		d.power.off, d.left = true, 0
		close(d.failed)
	}
}

// Cut has the power fail if it has not yet, falls back to what is kept, and mounts that at
// the same directory. Programs that had files open must have been killed, or meet errors.
// With a source of random numbers a random part of what was not synced is kept as well.
func (d *Disk) Cut(random *rand.Rand) error {
	d.Fail()
	if err := d.unmount(); err != nil {
		return err
	}
	d.mu.Lock()
	d.stats.Cuts++
	d.root.cut(random, map[*inode]bool{})
	d.mu.Unlock()
	return d.Mount(d.dir)
}

// Close unmounts the disk.
func (d *Disk) Close() error {
	d.Fail()
	return d.unmount()
}

// unmount takes the disk away, also from those who have files open there.
func (d *Disk) unmount() error {
	if d.server == nil {
		return nil
	}
	if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
		return err
	}
	d.server = nil
	return nil
}

// Stats returns what was done to the disk so far.
func (d *Disk) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats
}

// begin locks the disk for one call of a mount. Its error says that the power is off.
func (d *Disk) begin(p *power) syscall.Errno {
	d.mu.Lock()
	if p.off {
		d.mu.Unlock()
		return syscall.EIO
	}
	return 0
}

// change locks the disk for one call that changes something.
func (d *Disk) change(p *power) syscall.Errno {
	if errno := d.begin(p); errno != 0 {
		return errno
	}
	d.stats.Changes++
	if d.left > 0 {
		if d.left--; d.left == 0 {
			d.fail()
			d.mu.Unlock()
			return syscall.EIO
		}
	}
	return 0
}
