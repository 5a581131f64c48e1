package jobserver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

type pool struct {
	path     string
	fd       int // ours, which never waits
	waits    int // ours, which does
	room     int // for so many tokens, in whichever order they come and go
	catching bool
	catches  chan struct{}
}

// newPool makes an empty pipe that only this user can reach.
func newPool() (*pool, error) {
	dir, err := os.MkdirTemp("", "sweetspot-jobserver-")
	if err != nil {
		return nil, err
	}
	p := &pool{path: filepath.Join(dir, "tokens"), catches: make(chan struct{}, 1)}
	if err := p.open(); err != nil {
		p.remove()
		return nil, fmt.Errorf("cannot make the pipe for the tokens: %w", err)
	}
	return p, nil
}

func (p *pool) open() (err error) {
	if strings.ContainsAny(p.path, " \t\n") {
		return fmt.Errorf("%s has a blank, which MAKEFLAGS cannot hold: set TMPDIR to a directory without one", p.path)
	}
	if err = unix.Mkfifo(p.path, 0o600); err != nil {
		return os.NewSyscallError("mkfifo", err)
	}
	if p.fd, err = p.end(unix.O_RDWR | unix.O_NONBLOCK); err != nil {
		return err
	}
	size, err := unix.FcntlInt(uintptr(p.fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	p.room = room(size, os.Getpagesize())
	p.waits, err = p.end(unix.O_RDONLY)
	return err
}

// room returns how many tokens may exist so that who has one can always write it back. A pipe is a ring of pages. The
// first keeps its page until its last byte is read, and one that put fills may lack what did not fit of a move.
// A single token leaves an empty pipe behind, so that even one page has room for it.
func room(size, page int) int { return max(1, (size/page-1)*(page-oneMove+1)) }

// most returns how many tokens may exist: a client waits for room in a full pipe, for ever if nobody else reads.
func (p *pool) most() int { return p.room }

func (p *pool) end(mode int) (int, error) {
	for {
		fd, err := unix.Open(p.path, mode|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, os.NewSyscallError("open", err)
		}
	}
}

// remove takes the name away. Who has opened the pipe keeps it.
func (p *pool) remove() { _ = os.RemoveAll(filepath.Dir(p.path)) } // at worst an empty pipe stays

// level returns how many tokens are in the pipe.
func (p *pool) level() int {
	n, err := unix.IoctlGetInt(p.fd, unix.TIOCINQ)
	if err != nil {
		panic(fmt.Sprintf("sweetspot: the pipe of the tokens: %v", err)) // it is open
	}
	return n
}

// put puts at most n tokens into the pipe, and returns how many fitted.
func (p *pool) put(n int) int {
	return p.move(unix.Write, bytes.Repeat([]byte{'+'}, min(n, oneMove))) // the byte that make writes
}

// take takes at most n tokens out without waiting, and returns how many there were.
func (p *pool) take(n int) int { return p.move(unix.Read, make([]byte, min(n, oneMove))) }

// oneMove is what the smallest pipes hold.
const oneMove = 512

func (p *pool) move(call func(int, []byte) (int, error), b []byte) int {
	if len(b) == 0 {
		return 0
	}
	for {
		n, err := call(p.fd, b)
		if err != unix.EINTR {
			return max(n, 0)
		}
	}
}

// unused returns how many clients may run jobs with tokens while the place that needs none is empty. make,
// cargo and rustc use that place first.
func (p *pool) unused() (n int) {
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range processes {
		switch name, _ := os.ReadFile(dir + "/comm"); strings.TrimSpace(string(name)) { // of one that has ended: none
		case "ninja", "samu": // which want the name of the pipe
			if env, _ := os.ReadFile(dir + "/environ"); strings.Contains(string(env), p.path) {
				n++
			}
		}
	}
	return n
}

// catch waits for one token in a read, where the kernel gives it one sooner than a client that waits in a select
// and reads then. caught says when it is here; until then, catch does nothing more.
func (p *pool) catch() {
	if p.catching {
		return
	}
	p.catching = true
	go func() {
		var b [1]byte
		for {
			if _, err := unix.Read(p.waits, b[:]); err != unix.EINTR {
				break
			}
		}
		p.catches <- struct{}{}
	}()
}

// caught reports, once, that a token was caught.
func (p *pool) caught() bool {
	select {
	case <-p.catches:
		p.catching = false
		return true
	default:
		return false
	}
}

func (p *pool) close() {
	for p.catching && !p.caught() {
		p.put(1) // a stranger may still take it
		time.Sleep(time.Millisecond)
	}
	unix.Close(p.waits)
	unix.Close(p.fd)
	p.remove()
}
