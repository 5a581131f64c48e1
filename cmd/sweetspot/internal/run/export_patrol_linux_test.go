package run

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// Patrol looks at a job that has written so much to memory that this is worth a word. A
// second after it may say so, the job runs out of time.
type Patrol struct {
	p    *patrol
	long *job
}

// NewPatrol returns a patrol that has begun.
func NewPatrol(tell func(string)) (Patrol, error) {
	fd, err := unix.MemfdCreate("output", unix.MFD_CLOEXEC)
	if err != nil {
		return Patrol{}, err
	}
	f := os.NewFile(uintptr(fd), "output")
	if err := f.Truncate(2 * muchMemory); err != nil { // a hole, which takes none
		return Patrol{}, err
	}
	p := &patrol{timeout: timeoutFlag{fixed: 4 * patrolEvery}, signal: func(process.Process, syscall.Signal) {}, shelf: &shelf{}, tell: tell}
	p.start()
	j := &job{seq: 1, spool: &spool.Spool{Out: f, Err: f}}
	p.join(j)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[j].began = p.now().Add(-2 * patrolEvery)
	return Patrol{p, j}, nil
}

// Leave says that the job has ended, and returns why.
func (p Patrol) Leave() string {
	_, why := p.p.leave(p.long)
	return why
}

// Close ends the patrol, of a run that is overdue.
func (p Patrol) Close() {
	overdue := make(chan struct{})
	close(overdue)
	p.End(overdue)
}

// End ends the patrol, and waits for what it says until the run is overdue.
func (p Patrol) End(overdue <-chan struct{}) {
	p.p.close(overdue)
	p.long.spool.Out.Close()
}

// Locked reports whether somebody would wait who asks the patrol for something.
func (p Patrol) Locked() bool {
	free := p.p.mu.TryLock()
	if free {
		p.p.mu.Unlock()
	}
	return !free
}
