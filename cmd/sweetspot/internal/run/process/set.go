package process

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// A Set holds the running jobs, and the leftovers of jobs that were told to
// end: processes of their groups that outlive the first one. The guard looks after both.
type Set struct {
	starting  sync.RWMutex // held for reading while a job is being started, for writing while all are suspended
	mu        sync.Mutex
	live      map[int]Process
	again     map[int]int // jobs that got the number of one of live before that was removed
	started   int64       // jobs so far
	most      int         // that ran at a time
	left      map[int]Process
	sent      syscall.Signal // the sharpest signal sent to all, 0 if none
	suspended map[int]bool   // by the brake
	away      bool           // all jobs are suspended, and so are we

	guard *guard
}

// NewSet returns an empty Set.
func NewSet() *Set {
	return &Set{live: make(map[int]Process), again: make(map[int]int), left: make(map[int]Process), suspended: make(map[int]bool)}
}

// Protect has the jobs end with us, however we end, and a directory go. Until they
// have, some files stay open.
func (p *Set) Protect(dir string, hold ...*os.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guard = newGuard(dir, hold...)
}

// Close ends the guard.
func (p *Set) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guard.close()
	p.guard = nil
}

// Start starts a job as [Start] does and registers it, and returns how many run with it. While
// all are suspended none is started.
func (p *Set) Start(path string, argv, env []string, in, out, err *os.File) (pr Process, running int, failed error) {
	p.starting.RLock()
	defer p.starting.RUnlock()
	if pr, failed = Start(path, argv, env, in, out, err); failed == nil {
		running = p.Add(pr)
	}
	return pr, running, failed
}

// Add registers a job that has just been started, and returns how many run with it. If all
// have been signalled meanwhile, the job is too.
func (p *Set) Add(pr Process) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.live[pr.PID]; there {
		p.again[pr.PID]++
	}
	p.live[pr.PID] = pr
	p.started++
	p.most = max(p.most, len(p.live))
	p.guard.add(pr.PID)
	if p.sent != 0 {
		pr.SignalGroup(p.sent)
	}
	return len(p.live)
}

// Remove takes out a job that has ended, and reports whether it was told to end with
// all others. Then Reaped must follow.
func (p *Set) Remove(pr Process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.again[pr.PID] > 0 {
		p.again[pr.PID]--
		return p.sent != 0
	}
	delete(p.live, pr.PID)
	if p.suspended[pr.PID] { // others of its group may be left
		delete(p.suspended, pr.PID)
		pr.resume()
	}
	if p.sent == 0 {
		p.guard.remove(pr.PID)
		return false
	}
	p.left[pr.PID] = pr
	return true
}

// Reaped forgets a job that was told to end, unless it has leftovers. Only now can that be
// asked: the group of a process that has not been reaped always lives.
func (p *Set) Reaped(pr Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.left[pr.PID]; ok && !pr.GroupLives() {
		delete(p.left, pr.PID)
		p.guard.remove(pr.PID)
	}
}

// prune forgets the leftovers that have ended. It is called with p.mu held.
func (p *Set) prune() {
	for _, pid := range forgetDead(p.left) {
		p.guard.remove(pid)
	}
}

// forgetDead takes out the jobs of which no process is left, and returns their numbers.
// Zombies are dead: in a container, where nobody may reap orphans, they stay for ever,
// and a signal 0 to their group succeeds.
func forgetDead(left map[int]Process) (dead []int) {
	for pid, pr := range left {
		if !pr.GroupLives() {
			delete(left, pid)
			dead = append(dead, pid)
		}
	}
	if len(left) == 0 {
		return dead
	}
	groups, err := livingGroups()
	if err != nil {
		return dead // then the signal has the last word
	}
	for pid := range left {
		if !groups[pid] {
			delete(left, pid)
			dead = append(dead, pid)
		}
	}
	return dead
}

// Linger waits until no process of a job is left, or until it is overdue. Somebody else
// sends KILL when the time has come.
func (p *Set) Linger(pr Process, overdue func() bool) {
	left := map[int]Process{pr.PID: pr}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		forgetDead(left)
		p.mu.Lock()
		again := p.again[pr.PID] > 0 // the number is that of another job, so this one is gone
		p.mu.Unlock()
		if len(left) == 0 || again || overdue() {
			return
		}
		time.Sleep(pause)
	}
}

// Running returns the number of jobs.
func (p *Set) Running() int {
	running, _ := p.Counts()
	return running
}

// Counts returns how many jobs run, and how many have been started so far.
func (p *Set) Counts() (running int, started int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.live), p.started
}

// Peak returns how many jobs ran at a time, at most.
func (p *Set) Peak() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// Signal sends sig to every process of every job, those that are about to be
// registered included.
func (p *Set) Signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune() // their numbers may be those of foreign processes
	p.sent = sig
	for _, pr := range p.live {
		pr.SignalGroup(sig)
	}
	for _, pr := range p.left {
		pr.SignalGroup(sig)
	}
}

// Suspend suspends a job, and reports whether it ran before. It does nothing if the job has ended, or
// all were told to end or are suspended with us.
func (p *Set) Suspend(pid int) (began bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pr, lives := p.live[pid]
	if !lives || p.sent != 0 || p.away {
		return false
	}
	began = !p.suspended[pid]
	p.suspended[pid] = true
	pr.stop()
	return began
}

// Resume resumes a job that Suspend has suspended.
func (p *Set) Resume(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.suspended, pid)
	if pr, lives := p.live[pid]; lives && !p.away {
		pr.resume()
	}
}

// SuspendAll suspends all jobs while stop, which suspends us, runs. A job that is being started may
// run before we know its number, so it is waited for.
func (p *Set) SuspendAll(stop func()) {
	p.starting.Lock()
	defer p.starting.Unlock()
	p.all(Process.stop, true)
	stop()
	p.all(Process.resume, false)
}

// all calls f for every job, and notes whether they are away.
func (p *Set) all(f func(Process), away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
	for _, pr := range p.live {
		f(pr)
	}
}

// Clear waits until no leftover lives, or for overdue. Somebody else sends KILL
// when the time has come.
func (p *Set) Clear(overdue <-chan struct{}) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		p.mu.Lock()
		p.prune()
		n := len(p.left)
		p.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-time.After(pause):
		case <-overdue:
			return
		}
	}
}
