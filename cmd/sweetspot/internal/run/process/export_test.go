//go:build unix

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// StartedAway has a job started while all jobs are suspended, and reports whether it began before
// they went on.
func StartedAway() (early bool, err error) {
	procs := NewSet()
	ended := make(chan error, 1)
	procs.SuspendAll(func() {
		go func() {
			p, _, err := procs.Start("/bin/sh", []string{"sh", "-c", ":"}, os.Environ(), os.Stdin, os.Stdout, os.Stderr)
			if err == nil {
				var status syscall.WaitStatus
				err = wait(p, &status)
			}
			ended <- err
		}()
		select {
		case err = <-ended:
			early = true
		case <-time.After(200 * time.Millisecond):
		}
	})
	if !early {
		err = <-ended
	}
	return early, err
}

// wait waits for a process to end.
func wait(p Process, status *syscall.WaitStatus) error {
	for {
		if _, err := syscall.Wait4(p.PID, status, 0, nil); err != syscall.EINTR {
			return err
		}
	}
}

// Guarded returns the table of a guard after some process groups have been added. A negative number
// removes one.
func Guarded(groups ...int) ([]string, error) {
	table, err := newTable()
	if err != nil {
		return nil, err
	}
	defer table.Close()
	g := &guard{table: table, line: make(map[int]int64)}
	for _, n := range groups {
		if n < 0 {
			g.remove(-n)
		} else {
			g.add(n)
		}
	}
	text, err := io.ReadAll(io.NewSectionReader(table, 0, 1<<10))
	return strings.Fields(string(text)), err
}

// UsedAgain adds two jobs of one number to a set, and returns how many lines the guard has for them,
// and how many jobs are live, after the first is removed and after the second.
func UsedAgain() (lines, live [2]int, err error) {
	table, err := newTable()
	if err != nil {
		return lines, live, err
	}
	defer table.Close()
	procs := NewSet()
	procs.guard = &guard{table: table, line: make(map[int]int64)}
	job := Process{PID: 1 << 22} // no system has one
	procs.Add(job)
	procs.Add(job)
	for i := range lines {
		procs.Remove(job)
		lines[i], live[i] = len(procs.guard.line), len(procs.live)
	}
	return lines, live, nil
}

// Registered is how many jobs are still signalled with all others, and how many the
// guard looks after.
type Registered struct{ Left, Guarded int }

// EndedByTerm runs a shell line as a job that gets TERM with all others once it has
// printed the number of a process. The end of its input comes later. It returns what is
// registered when the job has ended, and once that process is gone and all get KILL.
func EndedByTerm(line string) (ended, killed Registered, err error) {
	in, hold, err := os.Pipe()
	if err != nil {
		return ended, killed, err
	}
	defer in.Close()
	defer hold.Close()
	printed, out, err := os.Pipe()
	if err != nil {
		return ended, killed, err
	}
	defer printed.Close()
	p, err := Start("/bin/sh", []string{"sh", "-c", line}, os.Environ(), in, out, os.Stderr)
	out.Close()
	if err != nil {
		return ended, killed, err
	}
	procs := NewSet()
	procs.Protect("")
	defer procs.Close()
	if procs.guard == nil {
		return ended, killed, fmt.Errorf("there is no guard")
	}
	registered := func() Registered { return Registered{len(procs.left), len(procs.guard.line)} }
	running := procs.Add(p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var told bool
		_, _ = p.Wait(running, func() { told = procs.Remove(p) })
		if told {
			procs.Reaped(p)
		}
	}()
	text, err := bufio.NewReader(printed).ReadString('\n')
	procs.Signal(syscall.SIGTERM)
	hold.Close()
	<-done
	if err != nil {
		return ended, killed, err
	}
	ended = registered()
	child, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return ended, killed, err
	}
	if ended.Left > 0 {
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
	procs.Linger(p, func() bool { return false })
	procs.Signal(syscall.SIGKILL)
	return ended, registered(), nil
}
