package jobserver

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// A child is the command. It is in our process group, so that it has the terminal.
type child struct {
	pid     int
	signals chan os.Signal
	told    atomic.Int32 // signals that want the end
	terms   int          // TERMs among them; of the goroutine that passes them on
}

// childAttr has the kernel end the command when we are killed, in the way that lets make
// remove half-made files.
var childAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}

// adopted returns our children.
func adopted() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is right
	for _, name := range lists {
		b, _ := os.ReadFile(name) // a thread that has ended has none
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// firstMore is the first descriptor beside the standard ones.
const firstMore = 3

// startChild starts a command with open files beside the standard ones, and those that we were started with.
func startChild(path string, command, env []string, more []int) (*child, error) {
	// Orphans below us become our children, not those of init: they still count.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // every Linux since 3.4
	c := &child{signals: make(chan os.Signal, 16)}
	files := []uintptr{0, 1, 2}
	for _, fd := range more {
		files = append(files, uintptr(fd))
	}
	// Before the start, so that none is missed.
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(c.signals, s)
		}
	}
	pid, err := syscall.ForkExec(path, command, &syscall.ProcAttr{Env: env, Files: files, Sys: childAttr})
	if err != nil {
		signal.Stop(c.signals)
		return nil, fmt.Errorf("cannot start %s: %w", path, err)
	}
	c.pid = pid
	return c, nil
}

// wait passes signals on until the command has ended, and returns its exit status as an error. What
// it leaves running goes on, unless a signal has asked for the end.
func (c *child) wait() error {
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case s := <-c.signals:
				c.pass(s.(syscall.Signal))
			case <-quit:
				return
			}
		}
	}()
	status := c.reap()
	signal.Stop(c.signals)
	close(quit)
	<-ended
	if c.told.Load() > 0 {
		sweep()
	}
	code := status.ExitStatus()
	if status.Signaled() {
		code = 128 + int(status.Signal())
	}
	if code == 0 {
		return nil
	}
	return &exitcode.Error{Code: code}
}

// reap waits for the command, and meanwhile for orphans that it leaves to us.
func (c *child) reap() (status syscall.WaitStatus) {
	for {
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); {
		case err == syscall.EINTR:
		case err != nil:
			panic(fmt.Sprintf("sweetspot: wait4: %v", err)) // there is a child
		case pid == c.pid:
			return status
		}
	}
}

// pass passes a signal on. Those of a terminal's keys are sent to the whole process group, so
// the command has them already.
func (c *child) pass(s syscall.Signal) {
	c.told.Add(1)
	if s == unix.SIGTERM {
		c.terms++
	}
	switch {
	case s == unix.SIGTERM && c.terms > 1:
		_ = unix.Kill(c.pid, unix.SIGKILL) // it has not been reaped; the rest is swept
	case (s == unix.SIGINT || s == unix.SIGQUIT) && foreground():
	default:
		_ = unix.Kill(c.pid, s)
	}
}

// foreground reports whether we have the terminal.
func foreground() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// sweepMost is how often sweep kills what it finds, a millisecond apart at least: something may fork as fast
// as it is killed. It does not count time in which it was itself held up: then nothing would be killed.
const sweepMost = 1000

// sweep kills what the command has left, generation by generation: the children of who is
// killed become ours.
func sweep() {
	for range sweepMost {
		left := adopted()
		for _, pid := range left {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for range len(left) + 1 {
			pid, err := syscall.Wait4(-1, nil, unix.WNOHANG, nil)
			if err == syscall.ECHILD {
				return
			}
			if pid == 0 {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}
