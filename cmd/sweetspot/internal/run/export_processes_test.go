//go:build unix

package run

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/sweetspot-go/sweetspot/sense"
)

// StartedAway runs a job that ends with its input, which begins while all jobs are suspended.
// It reports whether the job was suspended before it could end, and whether it then ended.
func StartedAway() (suspended, ended bool, err error) {
	in, hold, err := os.Pipe()
	if err != nil {
		return false, false, err
	}
	defer in.Close()
	defer hold.Close()
	procs := newProcesses()
	var p process
	var status syscall.WaitStatus
	procs.suspendAll(func() {
		if p, err = startProcess(defaultShell, []string{"sh", "-c", "read x"}, os.Environ(), in, os.Stdout, os.Stderr); err != nil {
			return
		}
		procs.add(p)
		hold.Close()
		err = wait(p, &status, syscall.WUNTRACED)
	})
	if err != nil || !status.Stopped() {
		return false, false, err
	}
	err = wait(p, &status, 0)
	return true, status.Exited(), err
}

// wait waits for a process to end or to stop.
func wait(p process, status *syscall.WaitStatus, options int) error {
	for {
		if _, err := syscall.Wait4(p.pid, status, options, nil); err != syscall.EINTR {
			return err
		}
	}
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
	p, err := startProcess(defaultShell, []string{"sh", "-c", line}, os.Environ(), in, out, os.Stderr)
	out.Close()
	if err != nil {
		return ended, killed, err
	}
	r := &runner{
		procs: newProcesses(), children: sense.NewChildren(), printer: &printer{}, gate: &gate{},
		patrol: &patrol{jobs: make(map[*job]*patrolled)},
	}
	r.procs.protect("")
	defer r.procs.close()
	if r.procs.guard == nil {
		return ended, killed, fmt.Errorf("there is no guard")
	}
	registered := func() Registered { return Registered{len(r.procs.left), len(r.procs.guard.line)} }
	r.procs.add(p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.attend(&job{proc: p})
	}()
	text, err := bufio.NewReader(printed).ReadString('\n')
	r.procs.signal(syscall.SIGTERM)
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
	r.procs.linger(p, func() bool { return false })
	r.procs.signal(syscall.SIGKILL)
	return ended, registered(), nil
}
