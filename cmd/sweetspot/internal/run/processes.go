package run

import (
	"os"
	"sync"
	"syscall"
	"time"
)

// processes are the running jobs, and the leftovers of jobs that were told to
// end: processes of their groups that outlive the first one. The guard looks after both.
type processes struct {
	mu        sync.Mutex
	live      map[int]process
	started   int64 // jobs so far
	most      int   // that ran at a time
	left      map[int]process
	sent      syscall.Signal // the sharpest signal sent to all, 0 if none
	suspended map[int]bool   // by the brake
	away      bool           // all jobs are suspended, and so are we

	guard *guard
}

func newProcesses() *processes {
	return &processes{live: make(map[int]process), left: make(map[int]process), suspended: make(map[int]bool)}
}

// protect has the jobs end with us, however we end, and a directory go. Until they
// have, some files stay open.
func (p *processes) protect(dir string, hold ...*os.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guard = newGuard(dir, hold...)
}

func (p *processes) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.guard.close()
	p.guard = nil
}

// add registers a job that has just been started, and returns how many run with it. If all
// have been signalled or suspended meanwhile, the job is too.
func (p *processes) add(pr process) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.live[pr.pid] = pr
	p.started++
	p.most = max(p.most, len(p.live))
	p.guard.add(pr.pid)
	if p.sent != 0 {
		pr.signalGroup(p.sent)
	}
	if p.away {
		pr.stop()
	}
	return len(p.live)
}

// remove takes out a job that has ended, and reports whether it was told to end with
// all others. Then reaped must follow.
func (p *processes) remove(pr process) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.live, pr.pid)
	if p.suspended[pr.pid] { // others of its group may be left
		delete(p.suspended, pr.pid)
		pr.resume()
	}
	if p.sent == 0 {
		p.guard.remove(pr.pid)
		return false
	}
	p.left[pr.pid] = pr
	return true
}

// reaped forgets a job that was told to end, unless it has leftovers. Only now can that be
// asked: the group of a process that has not been reaped always lives.
func (p *processes) reaped(pr process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.left[pr.pid]; ok && !pr.groupLives() {
		delete(p.left, pr.pid)
		p.guard.remove(pr.pid)
	}
}

// prune forgets the leftovers that have ended. It is called with p.mu held.
func (p *processes) prune() {
	for _, pid := range forgetDead(p.left) {
		p.guard.remove(pid)
	}
}

// forgetDead takes out the jobs of which no process is left, and returns their numbers.
// Zombies are dead: in a container, where nobody may reap orphans, they stay for ever,
// and a signal 0 to their group succeeds.
func forgetDead(left map[int]process) (dead []int) {
	for pid, pr := range left {
		if !pr.groupLives() {
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

// linger waits until no process of a job is left, or until it is overdue. Somebody else
// sends KILL when the time has come.
func (p *processes) linger(pr process, overdue func() bool) {
	left := map[int]process{pr.pid: pr}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		forgetDead(left)
		if len(left) == 0 || overdue() {
			return
		}
		time.Sleep(pause)
	}
}

// running returns the number of jobs.
func (p *processes) running() int {
	running, _ := p.counts()
	return running
}

// counts returns how many jobs run, and how many have been started so far.
func (p *processes) counts() (running int, started int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.live), p.started
}

// peak returns how many jobs ran at a time, at most.
func (p *processes) peak() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.most
}

// signal sends sig to every process of every job, those that are about to be
// registered included.
func (p *processes) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prune() // their numbers may be those of foreign processes
	p.sent = sig
	for _, pr := range p.live {
		pr.signalGroup(sig)
	}
	for _, pr := range p.left {
		pr.signalGroup(sig)
	}
}

// suspend suspends a job, and reports whether it ran before. It does nothing if the job has ended, or
// all were told to end or are suspended with us.
func (p *processes) suspend(pid int) (began bool) {
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

func (p *processes) resume(pid int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.suspended, pid)
	if pr, lives := p.live[pid]; lives && !p.away {
		pr.resume()
	}
}

// suspendAll suspends all jobs while stop, which suspends us, runs.
func (p *processes) suspendAll(stop func()) {
	p.all(process.stop, true)
	stop()
	p.all(process.resume, false)
}

// all calls f for every job, and notes whether they are away.
func (p *processes) all(f func(process), away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
	for _, pr := range p.live {
		f(pr)
	}
}

// clear waits until no leftover lives, or for overdue. Somebody else sends KILL
// when the time has come.
func (p *processes) clear(overdue <-chan struct{}) {
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
