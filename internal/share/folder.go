package share

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

const (
	// pace is the least time between two exchanges: half a tick of a governor.
	pace = 5 * time.Millisecond
	// roll is the time between two looks at which files there are. A process that has just
	// begun has no usual rate for longer than that.
	roll = 500 * time.Millisecond
	// pause is the time without an exchange after which what the others did meanwhile does
	// not count: all Limiters rested, or the process stood still. It is longer than any
	// tick of a governor.
	pause = 250 * time.Millisecond
	// stale is the age of a file that belongs to nobody. Living processes write every roll.
	stale = time.Minute
	// attempts bounds how often a folder is made anew that another process removes, which
	// it does when it is the last to leave.
	attempts = 10
	// mostKnown bounds how many Folders of others are known again when they come back.
	mostKnown = 10_000
)

// process begins the names of the files of this process, which it does not read.
var process = fmt.Sprintf("%d-%s", os.Getpid(), rand.Text())

// folders counts the Folders that this process has opened.
var folders atomic.Int64

// A Folder is the place where the processes that agree on a name meet, as one of them sees
// it. It implements company.Outside. Its methods may be called by several goroutines.
type Folder struct {
	name    string
	process string
	id      string // process, and the number of the Folder in it
	now     func() time.Time

	sums   sync.Mutex     // never held while a file is read or written
	mine   control.Others // what this process has done
	others control.Others // by how much that of the others has grown

	exchanging sync.Mutex // guards what follows
	dir        string
	own        *os.File
	files      int              // it has had so many
	written    control.Others   // in own
	peers      map[string]*peer // by the name of their file
	known      map[string]bool  // the ids of those that count
	count      int              // of Folders of other processes that have been peers
	met        time.Time        // of the newest exchange
	rolled     time.Time        // of the newest roll call
	closed     bool
}

// Open joins the processes that agree on a name. The error says what is wrong with the name
// or the folder.
func Open(name string) (*Folder, error) { return open(name, process, time.Now) }

func open(name, process string, now func() time.Time) (*Folder, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	f := &Folder{name: name, process: process, now: now, peers: map[string]*peer{}, known: map[string]bool{}}
	f.id = fmt.Sprintf("%s.%d", process, folders.Add(1))
	if err := f.enter(control.Others{}); err != nil {
		return nil, fmt.Errorf("cannot share %q: %w", name, err)
	}
	f.met = now()
	f.callRoll(f.met, control.Others{})
	return f, nil
}

// enter makes a file for this process, in the folder that its name stands for now.
func (f *Folder) enter(mine control.Others) error {
	var err error
	for range attempts {
		if f.dir, err = place(f.name); err != nil {
			return err
		}
		// A new name each time: to those who still have the old file open, this is another.
		f.files++
		path := filepath.Join(f.dir, fmt.Sprintf("%s.%d", f.id, f.files))
		f.own, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	if err = f.write(mine); err != nil {
		_ = f.leave()
	}
	return err
}

func (f *Folder) write(mine control.Others) error {
	f.written = mine
	return write(f.own, mine)
}

// leave removes the file of this process, and the folder if it is empty. Windows removes no
// file that another process has open: there it stays until it is stale.
func (f *Folder) leave() error {
	if f.own == nil {
		return nil
	}
	path := f.own.Name()
	f.own.Close()
	f.own = nil
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	_ = os.Remove(f.dir) // fails while others are there
	return err
}

// Add adds to what this process has done and returns by how much that of the others has
// grown since Open. What cannot be read or written stands still and is tried again.
func (f *Folder) Add(done control.Others) control.Others {
	f.sums.Lock()
	f.mine = f.mine.Plus(done)
	others := f.others
	f.sums.Unlock()
	if !f.exchanging.TryLock() {
		return others // somebody else is at it
	}
	defer f.exchanging.Unlock()
	now := f.now()
	gap := now.Sub(f.met)
	if f.closed || gap >= 0 && gap < pace { // negative after a bubble of testing/synctest
		return others
	}
	f.met = now
	f.sums.Lock()
	mine := f.mine // only now: who exchanged meanwhile may have written more than there was above
	f.sums.Unlock()
	grown := f.read()
	if since := now.Sub(f.rolled); since < 0 || since >= roll {
		f.callRoll(now, mine)
	} else if f.own != nil && mine != f.written {
		_ = f.write(mine)
	}
	if gap < 0 || gap > pause {
		return others
	}
	f.sums.Lock()
	defer f.sums.Unlock()
	f.others = f.others.Plus(grown)
	return f.others
}

// read returns by how much the others have grown since it was called before.
func (f *Folder) read() (sum control.Others) {
	for _, p := range f.peers {
		sum = sum.Plus(p.read())
	}
	return sum
}

// callRoll finds out who is there, and says that this process is.
func (f *Folder) callRoll(now time.Time, mine control.Others) {
	f.rolled = now
	entries, err := os.ReadDir(f.dir) // none if the folder is gone
	if err != nil && !errors.Is(err, fs.ErrNotExist) && f.own != nil {
		_ = f.write(mine) // those who were there may still be, until it can be listed again
		return
	}
	here, present := f.own != nil && f.write(mine) == nil, false
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		name := e.Name()
		if here && name == filepath.Base(f.own.Name()) {
			present = true
		}
		if strings.HasPrefix(name, f.process+".") || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if now.Sub(info.ModTime()) > stale {
			f.drop(name) // first: some systems remove no file that is open
			_ = os.Remove(filepath.Join(f.dir, name))
			continue
		}
		there[name] = true
		if f.peers[name] == nil && len(f.peers) < mostPeers {
			if p := meet(filepath.Join(f.dir, name)); p != nil {
				f.peers[name] = p
				f.tally(idOf(name))
			}
		}
	}
	for name := range f.peers {
		if !there[name] {
			f.drop(name)
		}
	}
	if present {
		_ = os.Chtimes(f.own.Name(), now, now) // folders of Windows know nothing of writes before a file is closed
		return
	}
	_ = f.leave()
	_ = f.enter(mine) // else at the next roll call
}

// idOf returns the id of the Folder whose file has that name.
func idOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// tally counts a Folder of another process once, also if it rests, so that its file goes,
// and comes back with a new one.
func (f *Folder) tally(id string) {
	if f.known[id] {
		return
	}
	if len(f.known) == mostKnown {
		for some := range f.known {
			delete(f.known, some)
			break
		}
	}
	f.known[id] = true
	f.count++
}

func (f *Folder) drop(name string) {
	if p := f.peers[name]; p != nil {
		p.file.Close()
		delete(f.peers, name)
	}
}

// Met returns how many other processes have been here since Open. Each Sharing of theirs
// counts.
func (f *Folder) Met() int {
	f.exchanging.Lock()
	defer f.exchanging.Unlock()
	return f.count
}

// Close leaves: the file of this process is removed. From then on Add adds nothing.
func (f *Folder) Close() error {
	f.exchanging.Lock()
	defer f.exchanging.Unlock()
	f.closed = true
	for name := range f.peers {
		f.drop(name)
	}
	return f.leave()
}
