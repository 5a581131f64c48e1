//go:build unix

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

// A pool is the pipe with the tokens.
type pool struct {
	path   string
	fd     int // ours, which never waits
	waits  int // ours, which does
	orders chan struct{}
	caught chan struct{}
	ended  chan struct{}
}

// newPool makes an empty pipe that only this user can reach.
func newPool() (*pool, error) {
	dir, err := os.MkdirTemp("", "sweetspot-jobserver-")
	if err != nil {
		return nil, err
	}
	p := &pool{path: filepath.Join(dir, "tokens"), fd: -1, waits: -1}
	if err := p.open(); err != nil {
		p.remove()
		return nil, fmt.Errorf("cannot make the pipe for the tokens: %w", err)
	}
	p.orders, p.caught, p.ended = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go p.catcher()
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
	p.waits, err = p.end(unix.O_RDONLY)
	return err
}

// end opens an end of the pipe.
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
	n, err := unix.IoctlGetInt(p.fd, ioctlLevel)
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

// catch asks for one token, as soon as one comes back. Afterwards caughtOne says when it is here.
// No other call may be under way.
func (p *pool) catch() { p.orders <- struct{}{} }

func (p *pool) caughtOne() <-chan struct{} { return p.caught }

// catcher waits for tokens in a read, where the kernel gives it one sooner than a client
// that waits in a select and reads then.
func (p *pool) catcher() {
	defer close(p.ended)
	var b [1]byte
	for range p.orders {
		for {
			if _, err := unix.Read(p.waits, b[:]); err != unix.EINTR {
				break
			}
		}
		p.caught <- struct{}{}
	}
}

// close ends the pool.
func (p *pool) close() {
	close(p.orders)
	for range 100 { // a stranger may still take what ends the wait of the catcher
		p.put(1)
		select {
		case <-p.caught:
		case <-p.ended:
			unix.Close(p.waits)
			unix.Close(p.fd)
			p.remove()
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	p.remove()
}
