package run

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// A patrol looks at the running jobs now and then, so that short ones cost next to
// nothing. It ends those that cannot go on or must not:
//
//   - one that wants to use the terminal, for a password as a rule. Each job is in a
//     process group of its own, which the terminal does not serve: the system stops
//     it, and nothing would ever let it go on;
//   - one that writes more than --max-output.
//
// It has the outputs of those that take long put on the [shelf].
type patrol struct {
	most     int64 // bytes to stdout or to stderr; 0 is any number
	grace    time.Duration
	terminal bool // there is one, and we are told of jobs that want it
	shelf    *shelf
	tell     func(string)
	quit     chan struct{}
	ended    chan struct{}

	mu         sync.Mutex
	jobs       map[int]*patrolled // by process
	saidMemory bool
}

// A patrolled job is one that runs.
type patrolled struct {
	*job
	shelved bool
	why     string    // it is ended for this reason; "" if it is not
	kill    time.Time // when it gets KILL
}

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
	if tellsStops {
		if tty, err := os.Open("/dev/tty"); err == nil {
			tty.Close()
			p.terminal = true
		}
	}
	p.jobs = make(map[int]*patrolled)
	p.quit, p.ended = make(chan struct{}), make(chan struct{})
	go p.loop()
}

func (p *patrol) loop() {
	defer close(p.ended)
	every := patrolEvery
	if p.most > 0 {
		every = patrolSizes
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			if note := p.round(now); note != "" {
				p.tell(note) // may wait for somebody to read, so jobs must be able to come and go
			}
		case <-p.quit:
			return
		}
	}
}

// round looks at all jobs, and returns what is to be said of them, if anything.
func (p *patrol) round(now time.Time) (note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.jobs {
		note = cmp.Or(p.look(j, now), note)
	}
	return note
}

// look looks at one job, and returns what is to be said of it. It is called with p.mu held.
func (p *patrol) look(j *patrolled, now time.Time) (note string) {
	wants := p.terminal && j.proc.stoppedByTerminal()
	switch {
	case j.why != "":
		if wants || now.After(j.kill) { // it heeds no TERM
			j.proc.signalGroup(syscall.SIGKILL)
		}
		return ""
	case wants:
		p.end(j, "wants to use the terminal, which jobs cannot, and was ended", now)
		return ""
	}
	out, err, e := j.spool.sizes()
	if e != nil {
		return ""
	}
	if p.most > 0 && max(out, err) > p.most {
		p.end(j, p.tooMuch(), now)
		return ""
	}
	if now.Sub(j.began) < patrolEvery {
		return ""
	}
	if !j.shelved {
		j.shelved = true
		p.shelf.put(j.spool, j.seq)
	}
	if n := max(out, err); n > muchMemory && !p.saidMemory && inMemory(j.spool.out) {
		p.saidMemory = true
		return fmt.Sprintf("job %d has written %s, which %s holds in memory: TMPDIR can name a directory on a disk", j.seq, bytesText(float64(n)), spoolDir())
	}
	return ""
}

// tooMuch says why a job is ended that has written too much.
func (p *patrol) tooMuch() string {
	return fmt.Sprintf("wrote more than %s (--max-output), and the rest was dropped", bytesText(float64(p.most)))
}

func (p *patrol) end(j *patrolled, why string, now time.Time) {
	j.why, j.kill = why, now.Add(p.grace)
	j.proc.signalGroup(syscall.SIGTERM)
}

// join begins to look after a job that has just been started.
func (p *patrol) join(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[j.proc.pid] = &patrolled{job: j}
}

// leave ends that before the job is reaped, and returns why it was ended, or "". What
// is left of a job that was ended goes with it.
func (p *patrol) leave(j *job) (why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.jobs[j.proc.pid]
	delete(p.jobs, j.proc.pid)
	if w.shelved {
		p.shelf.take(j.spool, j.seq)
	}
	if w.why != "" {
		j.proc.signalGroup(syscall.SIGKILL)
	}
	return w.why
}

// ends reports whether a job was told to end.
func (p *patrol) ends(pid int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.jobs[pid]
	return j != nil && j.why != ""
}

// cut shortens the output of a job that has ended to what it may be, and reports why
// if it did.
func (p *patrol) cut(j *job) (why string, err error) {
	if p.most == 0 {
		return "", nil
	}
	out, e, err := j.spool.sizes()
	if err != nil {
		return "", err
	}
	if out > p.most {
		why, err = p.tooMuch(), j.spool.out.Truncate(p.most)
	}
	if e > p.most && err == nil {
		why, err = p.tooMuch(), j.spool.err.Truncate(p.most)
	}
	return why, err
}

// close ends the patrol. Once the run is overdue, it does not wait for one that speaks, as
// [hand.close] does not.
func (p *patrol) close(overdue <-chan struct{}) {
	close(p.quit)
	select {
	case <-p.ended:
	case <-overdue:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shelf.close()
}
