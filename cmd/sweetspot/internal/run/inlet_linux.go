package run

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// An inlet is the pipe that a job has for its stderr. What comes out goes to the file of
// a spool.
//
// A job could have the file itself, as it has for stdout. But scripts report errors by
// "echo x >/dev/stderr" or "tee /dev/stderr", which open what stderr is anew and truncate
// it: of a file, all earlier messages would be gone. A pipe takes no harm.
type inlet struct {
	group *inlets
	r     int      // does not block
	w     *os.File // kept until the end, so that no end of a short job wakes the group

	mu     sync.Mutex
	to     *os.File // nil: what comes is dropped
	err    error    // the first of writing to it; the rest was dropped
	sweeps int      // how often it was looked at since its job has ended
}

// inlets read the pipes of all jobs in one goroutine. It wakes when a job writes to its
// stderr, which few do.
type inlets struct {
	mu    sync.Mutex
	epoll int
	quit  int // an eventfd that ends the loop
	open  map[int]*inlet
	late  []*inlet // of jobs that have ended, which somebody may still have open
}

// inletBuffers hold what is on its way; a pipe has as much.
var inletBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// newInlets begins to read. It returns nil where that is not possible: then jobs have
// files.
func newInlets() *inlets {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	quit, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err == nil {
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, quit, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(quit)})
	}
	if err != nil {
		unix.Close(epoll)
		return nil
	}
	g := &inlets{epoll: epoll, quit: quit, open: make(map[int]*inlet)}
	go g.loop()
	return g
}

func (g *inlets) loop() {
	defer unix.Close(g.epoll)
	defer unix.Close(g.quit)
	var events [64]unix.EpollEvent
	for {
		n, err := unix.EpollWait(g.epoll, events[:], -1)
		if err != nil && err != unix.EINTR {
			return
		}
		for _, e := range events[:max(n, 0)] {
			if int(e.Fd) == g.quit {
				return
			}
			g.mu.Lock()
			in := g.open[int(e.Fd)]
			g.mu.Unlock()
			if in != nil {
				in.step()
			}
		}
	}
}

// inlet returns a pipe that leads to a file, or nil if there is none left.
func (g *inlets) inlet(to *os.File) *inlet {
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

// watch has the group read what comes.
func (in *inlet) watch() error {
	in.group.mu.Lock()
	in.group.open[in.r] = in
	in.group.mu.Unlock()
	// As long as something is in the pipe, the group wakes again.
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(in.r)}
	return unix.EpollCtl(in.group.epoll, unix.EPOLL_CTL_ADD, in.r, &event)
}

func (in *inlet) unwatch() {
	in.group.mu.Lock()
	_, watched := in.group.open[in.r]
	delete(in.group.open, in.r)
	in.group.mu.Unlock()
	if watched {
		_ = unix.EpollCtl(in.group.epoll, unix.EPOLL_CTL_DEL, in.r, nil)
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
	closed, err := in.last()
	if !closed {
		in.group.mu.Lock()
		in.group.late = append(in.group.late, in)
		in.group.mu.Unlock()
	}
	in.group.sweep()
	return err
}

// last moves what is in the pipe now, drops what comes, and reports whether nobody can write to
// the pipe any more.
func (in *inlet) last() (closed bool, err error) {
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
	_, closed = in.move(buf[:])
	return closed, in.err
}

// sweepsMost is how often a late pipe is looked at before it is watched. As a rule it is
// open only because another job is being started: between fork and exec that has all
// our files.
const sweepsMost = 8

// sweep looks whether late pipes are closed by now.
func (g *inlets) sweep() {
	g.mu.Lock()
	late := g.late
	g.late = nil
	g.mu.Unlock()
	kept := late[:0]
	for _, in := range late {
		if in.step() {
			continue
		}
		in.mu.Lock()
		if in.sweeps++; in.sweeps < sweepsMost {
			kept = append(kept, in)
		} else if in.watch() != nil {
			in.close()
		}
		in.mu.Unlock()
	}
	if len(kept) > 0 {
		g.mu.Lock()
		g.late = append(g.late, kept...)
		g.mu.Unlock()
	}
}

// close lets go of the pipe. It is called with in.mu held, or before anybody else knows it.
func (in *inlet) close() {
	in.unwatch()
	unix.Close(in.r)
	in.r = -1
}

func (g *inlets) close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	left := slices.AppendSeq(g.late, maps.Values(g.open))
	g.open, g.late = make(map[int]*inlet), nil
	g.mu.Unlock()
	var one [8]byte
	one[0] = 1
	_, _ = unix.Write(g.quit, one[:]) // cannot fail: nobody has written to it
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
	defer in.close()
	cat, err := exec.LookPath("cat")
	if err != nil {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer null.Close()
	if unix.SetNonblock(in.r, false) == nil {
		_, _ = syscall.ForkExec(cat, []string{"cat"}, &syscall.ProcAttr{
			Dir: "/", Files: []uintptr{uintptr(in.r), null.Fd(), null.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
		})
	}
}
