package run

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// A patrol looks at the running jobs now and then, so that short ones cost next to
// nothing. It ends those that cannot go on or must not: TERM to all their processes and,
// after the grace, KILL. These are
//
//   - one that runs for longer than --timeout;
//   - one that wants to use the terminal, for a password as a rule. Each job is in a
//     process group of its own, which the terminal does not serve: the system stops
//     it, and nothing would ever let it go on;
//   - one that writes more than --max-output.
//
// It has the outputs of those that take long put on the [shelf].
type patrol struct {
	most     int64 // bytes to stdout or to stderr; 0 is any number
	timeout  timeoutFlag
	grace    time.Duration
	terminal bool // there is one
	shelf    *shelf
	signal   func(process.Process, syscall.Signal) // sends to every process of a job
	tell     func(string)
	routine

	every time.Duration // between rounds
	due   time.Time     // of the next one

	mu   sync.Mutex
	jobs map[*job]*patrolled
	past runtimes  // of the jobs that succeeded, for a timeout that needs them
	away time.Time // since when the jobs are stopped, and so are we; zero if they are not
	talk routine   // says once that output takes memory
}

// A patrolled job is one that runs.
type patrolled struct {
	*job
	began   time.Time // when we began to look; later by the time that it was stopped with us
	shelved bool
	why     string    // it is ended for this reason; "" if it is not
	kill    time.Time // when it gets KILL, or got it
	killed  bool
}

// timedOut is the reason for which a timeout ends a job.
const timedOut = "timed out"

const (
	// patrolEvery is how often a patrol looks: people notice a second of silence,
	// and a look costs some calls of the system for each job.
	patrolEvery = time.Second
	// patrolSizes is how often, if jobs may write only so much.
	patrolSizes = 100 * time.Millisecond
	// muchMemory is how much output of a job in memory is worth a word.
	muchMemory = 256 << 20
)

func (p *patrol) start() {
	if tty, err := os.Open("/dev/tty"); err == nil {
		tty.Close()
		p.terminal = true
	}
	p.jobs = make(map[*job]*patrolled)
	p.every = patrolEvery
	if p.most > 0 {
		p.every = patrolSizes
	}
	p.due = time.Now().Add(p.every)
	p.repeat(p.step(), p.step)
}

// step does what is due, and returns when something is again.
func (p *patrol) step() time.Duration {
	if now := time.Now(); !now.Before(p.due) {
		p.round()
		p.due = now.Add(p.every)
	}
	return min(p.enforce(), time.Until(p.due))
}

// now returns the time, which stands still while the jobs are stopped.
func (p *patrol) now() time.Time { return cmp.Or(p.away, time.Now()) }

// enforce ends the jobs whose time has come, and returns for how long none of the others'
// comes, nor that of a job yet to start.
func (p *patrol) enforce() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, limit := p.now(), p.timeout.limit(&p.past)
	next := max(limit, time.Millisecond) // so that nothing spins for a tiny one
	if p.timeout.percent > 0 {           // it may fall meanwhile
		next = min(next, shortestPercent/10)
	}
	for _, j := range p.jobs {
		end := j.began.Add(limit)
		if j.why != "" {
			end = j.kill
		}
		switch rest := end.Sub(now); {
		case j.killed:
		case rest > 0:
			next = min(next, rest)
		case j.why == "":
			p.end(j, timedOut, now)
			next = min(next, p.grace)
		default: // it heeds no TERM
			j.killed, j.kill = true, now
			p.signal(j.proc, syscall.SIGKILL)
		}
	}
	return next
}

func (p *patrol) round() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for _, j := range p.jobs {
		p.look(j, now)
	}
}

// look looks at one job. It is called with p.mu held.
func (p *patrol) look(j *patrolled, now time.Time) {
	wants := p.terminal && j.proc.StoppedByTerminal()
	switch {
	case j.why != "":
		if wants { // it heeds no TERM
			j.kill = now
		}
		return
	case wants:
		p.end(j, "wants to use the terminal, which jobs cannot, and was ended", now)
		return
	}
	out, err, e := j.spool.Sizes()
	if e != nil {
		return
	}
	if p.most > 0 && max(out, err) > p.most {
		p.end(j, p.tooMuch(), now)
		return
	}
	if now.Sub(j.began) < patrolEvery {
		return
	}
	if !j.shelved {
		j.shelved = true
		p.shelf.put(j.spool, j.seq)
	}
	if n := max(out, err); n > muchMemory && p.talk.ended == nil && spool.InMemory(j.spool.Out) {
		note := fmt.Sprintf("job %d has written %s, which %s holds in memory: TMPDIR can name a directory on a disk", j.seq, bytesText(float64(n)), spool.Dir())
		p.talk.begin(func() { p.tell(note) }) // may wait for somebody to read, which timeouts must not
	}
}

// tooMuch says why a job is ended that has written too much.
func (p *patrol) tooMuch() string {
	return fmt.Sprintf("wrote more than %s (--max-output), and the rest was dropped", bytesText(float64(p.most)))
}

func (p *patrol) end(j *patrolled, why string, now time.Time) {
	j.why, j.kill = why, now.Add(p.grace)
	p.signal(j.proc, syscall.SIGTERM)
}

// join begins to look after a job that has just been started.
func (p *patrol) join(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[j] = &patrolled{job: j, began: p.now()}
}

// leave ends that before the job is reaped, and returns for how long it ran, and why it was
// ended, or "". What is left of a job that was ended goes with it; only one that timed out is
// looked after until forget, since what is left of it has the grace, too.
func (p *patrol) leave(j *job) (ran time.Duration, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.jobs[j]
	ran = p.now().Sub(w.began)
	if w.shelved {
		p.shelf.take(j.spool, j.seq)
	}
	if w.why == timedOut {
		return ran, w.why
	}
	delete(p.jobs, j)
	if w.why != "" {
		p.signal(j.proc, syscall.SIGKILL)
	}
	return ran, w.why
}

// overdue reports whether a job that timed out got KILL so long ago that what is left of
// it does not end.
func (p *patrol) overdue(j *job) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.jobs[j]
	return w.killed && p.now().Sub(w.kill) > overdueAfter
}

// forget ends what leave left.
func (p *patrol) forget(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.jobs, j)
}

// succeeded takes in for how long a job ran that succeeded.
func (p *patrol) succeeded(ran time.Duration) {
	if p.timeout.percent == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.past.add(ran)
}

// suspend calls f, which returns when the jobs, stopped by it, go on. That time does
// not count.
func (p *patrol) suspend(f func()) {
	p.mu.Lock()
	p.away = time.Now()
	p.mu.Unlock()
	f()
	p.mu.Lock()
	defer p.mu.Unlock()
	away := time.Since(p.away)
	p.away = time.Time{}
	for _, j := range p.jobs {
		j.began, j.kill = j.began.Add(away), j.kill.Add(away)
	}
}

// ends reports whether a job was told to end.
func (p *patrol) ends(pid int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for j, w := range p.jobs {
		if j.proc.PID == pid {
			return w.why != ""
		}
	}
	return false
}

// cut shortens the output of a job that has ended to what it may be, and reports why
// if it did.
func (p *patrol) cut(j *job) (why string, err error) {
	if p.most == 0 {
		return "", nil
	}
	out, e, err := j.spool.Sizes()
	for i, n := range [...]int64{out, e} {
		if err == nil && n > p.most {
			why, err = p.tooMuch(), j.spool.Files()[i].Truncate(p.most)
		}
	}
	return why, err
}

// close ends the patrol.
func (p *patrol) close(overdue <-chan struct{}) {
	p.finish(overdue)
	p.mu.Lock()
	talk := p.talk
	p.mu.Unlock()
	if talk.ended != nil {
		talk.wait(overdue) // without the lock, or signals would wait for a reader, too
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shelf.close()
}
