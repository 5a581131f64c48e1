package spool

import (
	"cmp"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An inlet is the pipe that a job has for its stderr. What comes out goes to the file of
// a spool.
//
// A job could have the file itself, as it has for stdout. But scripts report errors by
// "echo x >/dev/stderr" or "tee /dev/stderr", which open what stderr is anew and truncate
// it: of a file, all earlier messages would be gone. A pipe takes no harm.
type inlet struct {
	group *Inlets
	r     int      // does not block
	w     *os.File // kept until the end, so that no end of a short job wakes the group

	mu  sync.Mutex
	to  *os.File // nil: what comes is dropped
	err error    // the first of writing to it; the rest was dropped
}

// Inlets read the pipes of all jobs in one goroutine. It wakes when a job writes to its
// stderr, which few do.
type Inlets struct {
	epoll int
	poll  *os.File // the same, which the runtime waits for

	mu   sync.Mutex
	open map[int]*inlet // those that it reads; nil once it is closed
}

// inletBuffers hold what is on its way; a pipe has as much.
var inletBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// NewInlets begins to read. It returns nil where that is not possible: then jobs have
// files.
func NewInlets() *Inlets {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	_ = unix.SetNonblock(epoll, true) // or the runtime does not wait for it
	g := &Inlets{epoll: epoll, poll: os.NewFile(uintptr(epoll), "epoll"), open: make(map[int]*inlet)}
	conn, err := g.poll.SyscallConn()
	if err != nil || g.poll.SetReadDeadline(time.Time{}) != nil {
		g.poll.Close()
		return nil
	}
	go conn.Read(func(uintptr) bool { return g.read() })
	return g
}

// read reads until all pipes are empty, and reports whether the group is closed.
func (g *Inlets) read() (closed bool) {
	var events [64]unix.EpollEvent
	for {
		n, err := unix.EpollWait(g.epoll, events[:], 0)
		if n <= 0 && err != unix.EINTR {
			return false
		}
		for _, e := range events[:max(n, 0)] {
			g.mu.Lock()
			in := g.open[int(e.Fd)]
			closed = g.open == nil
			g.mu.Unlock()
			switch {
			case closed:
				return true
			case in != nil:
				in.step()
			}
		}
	}
}

// inlet returns a pipe that leads to a file, or nil if there is none left.
func (g *Inlets) inlet(to *os.File) *inlet {
	if g == nil {
		return nil
	}
	var fds [2]int
	if unix.Pipe2(fds[:], unix.O_CLOEXEC) != nil {
		return nil
	}
	in := &inlet{group: g, r: fds[0], w: os.NewFile(uintptr(fds[1]), "stderr"), to: to}
	if _, err := unix.FcntlInt(uintptr(in.r), unix.F_SETFL, unix.O_NONBLOCK); err != nil || in.watch() != nil {
		in.w.Close()
		in.close()
		return nil
	}
	return in
}

// watch has the group read what comes, unless it is closed.
func (in *inlet) watch() error {
	g := in.group
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		return os.ErrClosed
	}
	g.open[in.r] = in
	// As long as something is in the pipe, the group wakes again.
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(in.r)}
	return unix.EpollCtl(g.epoll, unix.EPOLL_CTL_ADD, in.r, &event)
}

func (in *inlet) unwatch() {
	g := in.group
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, watched := g.open[in.r]; watched {
		delete(g.open, in.r)
		_ = unix.EpollCtl(g.epoll, unix.EPOLL_CTL_DEL, in.r, nil)
	}
}

// step moves a buffer of what is in the pipe, and reports whether nobody can write to it any
// more. To go on until the pipe is empty could take for ever: somebody may write without a pause.
func (in *inlet) step() (closed bool) {
	buf := inletBuffers.Get().(*[64 << 10]byte)
	defer inletBuffers.Put(buf)
	in.mu.Lock()
	defer in.mu.Unlock()
	_, closed = in.move(buf[:])
	return closed
}

// move moves by one read what is in the pipe, and returns how much that was. It is called
// with in.mu held.
func (in *inlet) move(buf []byte) (n int, closed bool) {
	for in.r >= 0 {
		n, err := unix.Read(in.r, buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return 0, false
		case n <= 0:
			if in.w == nil {
				in.close()
			}
			return 0, true
		}
		if in.to != nil && in.err == nil {
			_, in.err = in.to.Write(buf[:n])
		}
		return n, false
	}
	return 0, true
}

// end takes what a job that has ended has left in the pipe. What a process that it has
// left behind writes from now on is dropped.
func (in *inlet) end() error {
	in.unwatch() // the group is not to wake when w is closed
	buf := inletBuffers.Get().(*[64 << 10]byte)
	defer inletBuffers.Put(buf)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.w.Close()
	in.w = nil
	there, err := unix.IoctlGetUint32(in.r, unix.TIOCINQ) // that is FIONREAD
	in.err = cmp.Or(in.err, err)
	for left := int(there); left > 0; {
		n, _ := in.move(buf[:min(left, len(buf))])
		if n == 0 {
			break
		}
		left -= n
	}
	in.to = nil
	// Somebody may still have the pipe: another job, as a rule, that is between fork and exec.
	if _, closed := in.move(buf[:]); !closed && in.watch() != nil {
		in.close()
	}
	return in.err
}

// close lets go of the pipe. It is called with in.mu held, or before anybody else knows it.
func (in *inlet) close() {
	in.unwatch()
	unix.Close(in.r)
	in.r = -1
}

// Close ends the reading. What a job has left behind may write on.
func (g *Inlets) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	left := g.open
	g.open = nil
	g.mu.Unlock()
	g.poll.Close() // once nobody reads
	for _, in := range left {
		in.handOver()
	}
}

// handOver has a program read on in a pipe that somebody may still write to: what a job
// has left behind must not die of a SIGPIPE when the run ends.
func (in *inlet) handOver() {
	if in.step() {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.r < 0 || in.w != nil { // its job is stuck
		return
	}
	_ = unix.SetNonblock(in.r, false)
	pipe := os.NewFile(uintptr(in.r), "stderr")
	defer pipe.Close()
	in.r = -1
	c := exec.Command("cat")
	c.Dir, c.Env, c.Stdin, c.SysProcAttr = "/", []string{}, pipe, &syscall.SysProcAttr{Setsid: true}
	if c.Start() == nil {
		_ = c.Process.Release()
	}
}
