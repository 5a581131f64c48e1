package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// A BrakedJob is a process under a brake whose sensor says what the test wants.
type BrakedJob struct {
	b         *brake
	p         process.Process
	mu        sync.Mutex
	suspended bool
	ends      bool
}

// NewBrakedJob starts sleep as a job.
func NewBrakedJob() (*BrakedJob, error) {
	path, err := Lookup("sleep", "-c")
	if err != nil {
		return nil, err
	}
	p, err := process.Start(path, []string{"sleep", "1000"}, os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		return nil, err
	}
	j := &BrakedJob{p: p}
	was := false
	j.b = &brake{
		procs: process.NewSet(),
		look: func() (suspended, resumed []int, again bool) {
			j.mu.Lock()
			defer j.mu.Unlock()
			defer func() { was = j.suspended }()
			switch {
			case j.suspended:
				return []int{p.PID}, nil, true
			case was:
				return nil, []int{p.PID}, false
			}
			return nil, nil, false
		},
		ends: func(int) bool { j.mu.Lock(); defer j.mu.Unlock(); return j.ends },
	}
	j.b.procs.Add(p)
	return j, nil
}

// Suspend suspends the job, or resumes it.
func (j *BrakedJob) Suspend(suspended bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.suspended = suspended
	if suspended {
		j.b.wake()
	}
}

// Ends says that the job was told to end.
func (j *BrakedJob) Ends() { j.mu.Lock(); defer j.mu.Unlock(); j.ends = true }

func (j *BrakedJob) Continue()          { _ = syscall.Kill(-j.p.PID, syscall.SIGCONT) }
func (j *BrakedJob) Signal()            { j.b.procs.Signal(syscall.SIGTERM) }
func (j *BrakedJob) Suspensions() int64 { return j.b.count() }

// Await waits until the state of the process is that letter.
func (j *BrakedJob) Await(want string) error {
	state := ""
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", j.p.PID))
		if err != nil {
			return err
		}
		_, after, _ := strings.Cut(string(b), ") ")
		if state, _, _ = strings.Cut(after, " "); state == want {
			return nil
		}
	}
	return fmt.Errorf("its state is %s, want %s", state, want)
}

// Close ends it.
func (j *BrakedJob) Close() {
	j.b.close()
	j.p.SignalGroup(syscall.SIGKILL)
	_, _ = j.p.Wait(1, func() {})
}

// LooksOfBrake returns how many looks a brake takes that is woken so often.
func LooksOfBrake(wakes int, every time.Duration) (looks int) {
	b := &brake{
		procs: process.NewSet(), ends: func(int) bool { return false },
		look: func() (suspended, resumed []int, again bool) { looks++; return nil, nil, true },
	}
	for range wakes {
		b.wake()
		time.Sleep(every)
	}
	b.close()
	return looks
}

// StoppedLeftover stops a job whose first process has ended and left another, and lets the job go. It
// returns the state of the other.
func StoppedLeftover() (state string, err error) {
	printed, out, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer printed.Close()
	p, err := process.Start(defaultShell, []string{"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"}, os.Environ(), os.Stdin, out, os.Stderr)
	out.Close()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(printed)
	if err != nil {
		return "", err
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return "", err
	}
	defer syscall.Kill(child, syscall.SIGKILL)
	first, other := &BrakedJob{p: p}, &BrakedJob{p: process.Process{PID: child}}
	procs := process.NewSet()
	procs.Add(p)
	if err := errors.Join(first.Await("Z"), other.Await("S")); err != nil {
		return "", err
	}
	procs.Suspend(p.PID)
	if err := other.Await("T"); err != nil {
		return "", err
	}
	_, err = p.Wait(1, func() { procs.Remove(p) })
	procs.Resume(p.PID)
	if err := other.Await("S"); err != nil {
		return "T", nil
	}
	return "S", err
}
