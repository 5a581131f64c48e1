package powercut

import (
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// An inode is a file, a directory or a symbolic link.
type inode struct {
	number   uint64
	mode     uint32 // its type too
	uid, gid uint32
	changed  time.Time
	target   string // of a symbolic link

	live, kept   content           // of a file
	names, known map[string]*inode // of a directory: live, kept
	at           map[place]bool    // the live names that lead here
}

// A place is a name in a directory.
type place struct {
	dir  *inode
	name string
}

func (i *inode) isDir() bool { return i.mode&syscall.S_IFMT == syscall.S_IFDIR }

// put gives child a name.
func (i *inode) put(name string, child *inode) {
	if old := i.names[name]; old != nil {
		delete(old.at, place{i, name})
	}
	i.names[name] = child
	child.at[place{i, name}] = true
	i.changed = time.Now()
}

// remove takes a name away.
func (i *inode) remove(name string) {
	delete(i.names[name].at, place{i, name})
	delete(i.names, name)
	i.changed = time.Now()
}

// sync keeps the bytes of a file, and with names how to find it.
func (i *inode) sync(names bool) {
	i.kept = i.live.clone()
	if names {
		i.syncNames()
	}
}

// syncNames keeps the names that lead to i, and forgets those in the same directories
// that no longer do.
func (i *inode) syncNames() {
	for p := range i.at {
		for name, known := range p.dir.known {
			if known == i && p.dir.names[name] != i {
				delete(p.dir.known, name)
			}
		}
		p.dir.known[p.name] = i
		p.dir.syncNames()
	}
}

// syncDir keeps the names of a directory.
func (i *inode) syncDir(names bool) {
	i.known = maps.Clone(i.names)
	if names {
		i.syncNames()
	}
}

// cut falls back to what is kept, and with random keeps some of the rest.
func (i *inode) cut(random *rand.Rand, done map[*inode]bool) {
	if done[i] {
		return
	}
	done[i] = true
	clear(i.at)
	if !i.isDir() {
		if random != nil {
			i.kept = survivor(&i.live, &i.kept, random)
		}
		i.live = i.kept.clone()
		return
	}
	if random != nil && random.IntN(2) == 0 {
		i.known = i.names
	}
	i.names = maps.Clone(i.known)
	i.known = maps.Clone(i.known)
	for _, name := range slices.Sorted(maps.Keys(i.names)) { // in order: a seed tells what happens
		child := i.names[name]
		child.cut(random, done)
		child.at[place{i, name}] = true
	}
}
