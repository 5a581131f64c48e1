package sense

import (
	"sync"
	"time"
)

// A job is one child with its descendants.
type job struct {
	pid   int
	since time.Duration
	at    int     // index in family.order
	cpu   float64 // CPU seconds counted while it runs
	held  float64 // resident bytes at the last look, 0 before
	most  float64 // the largest of them
	grown float64 // held when it last grew by a notable part

	asleep bool // the last look found it neither running, nor wanting to, nor waiting for a disk

	suspended    bool          // until there is memory, see [Children.Suspend]
	suspendedFor time.Duration // in all, up to the last look
	rate         float64       // bytes a second by which it grew before the last look

	looked  time.Duration // when the last look was
	settled time.Duration // its age then
	still   time.Duration // for how long it has slept or had a CPU since

	// Where a pid is used again before its former owner was reported:
	late    int
	lateCPU float64
}

// age returns how long the job has run, without the time it was suspended.
func (j *job) age(now time.Duration) time.Duration { return now - j.since - j.suspendedFor }

// begins is how long work is new: a law that doubles every 15 ms or so has reached any
// number by then, and looking at young jobs for longer would cost more than it shows.
const begins = 2 * time.Second

// notablePart is by what factor a job must have grown for that to count.
const notablePart = 1.01

// rateOver is the least time over which a job's growth is measured.
const rateOver = 5 * time.Millisecond

// A family is the book of all children.
type family struct {
	mu     sync.Mutex
	jobs   map[int]*job
	order  []*job // the same, for going round
	spare  []*job
	sum    float64       // CPU seconds of all children, running ones as far as known; never falls
	next   int           // index in order where the next round goes on
	until  time.Duration // when the work is no longer new
	memory need

	froze, away time.Duration // see freeze
	latest      time.Duration // see time

	expected float64 // what the largest of earlier children held; 0: unknown
}

// freeze calls stop, while all jobs are suspended. That time does not count for the family.
func (f *family) freeze(clock func() time.Duration, stop func()) {
	f.mu.Lock()
	f.froze = clock()
	f.time(f.froze) // what is booked later with an earlier moment counts as of this one
	f.mu.Unlock()
	stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away += clock() - f.froze
	f.froze = 0
}

// time returns the moment now on the clock of the family. It never goes back: the clock may
// have been read before a freeze that is over by now. It is called with f.mu held.
func (f *family) time(now time.Duration) time.Duration {
	if f.froze != 0 {
		now = f.froze
	}
	f.latest = max(f.latest, now-f.away)
	return f.latest
}

func (f *family) started(pid int, now time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	if j := f.jobs[pid]; j != nil {
		// The kernel gave the number to a new child between the wait for the
		// old one and the report of it.
		j.late++
		j.lateCPU += j.cpu
		*j = job{pid: pid, since: now, at: j.at, late: j.late, lateCPU: j.lateCPU}
		return
	}
	var j *job
	if n := len(f.spare); n > 0 {
		j, f.spare = f.spare[n-1], f.spare[:n-1]
	} else {
		j = new(job)
	}
	if f.until == 0 {
		f.until = now + begins
	}
	*j = job{pid: pid, since: now, at: len(f.order)}
	f.jobs[pid] = j
	f.order = append(f.order, j)
}

func (f *family) reaped(pid int, cpu float64, maxRSS int64, now time.Duration) {
	if !(cpu > 0) {
		cpu = 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	j := f.jobs[pid]
	switch {
	case j == nil:
		f.sum += cpu
		f.memory.learn(0, 0, 0, maxRSS)
		return
	case j.late > 0:
		j.late--
		f.sum += max(0, cpu-j.lateCPU)
		j.lateCPU = 0
		return
	}
	// Never less than what was counted while it ran: that includes descendants
	// that it did not wait for.
	f.sum += max(0, cpu-j.cpu)
	f.memory.learn(j.most, j.settled, j.age(now), maxRSS)
	last := f.order[len(f.order)-1]
	f.order[j.at], last.at = last, j.at
	f.order[len(f.order)-1] = nil
	f.order = f.order[:len(f.order)-1]
	delete(f.jobs, pid)
	f.spare = append(f.spare, j)
}

// A sight is what a look at a child and its descendants has found.
type sight struct {
	cpu    float64 // CPU seconds
	held   float64 // resident bytes
	asleep bool    // no process ran, wanted to or waited for a disk
	ends   int     // threads of the processes that have no children
}

// seen books what was seen of a running child at the moment now. since distinguishes
// it from a later child of the same number.
func (f *family) seen(pid int, since time.Duration, s sight, now time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	j := f.jobs[pid]
	if j == nil || j.since != since {
		return
	}
	passed := now - max(j.looked, j.since)
	switch {
	case j.suspended:
		j.suspendedFor += passed
		passed = 0
	case s.held < j.held:
		j.rate = 0
	case passed >= rateOver:
		j.rate = (s.held - j.held) / passed.Seconds()
	default: // the looks are too close together to show that it grows more slowly
		j.rate = max(j.rate, (s.held-j.held)/rateOver.Seconds())
	}
	// One that waits for a CPU or a disk cannot touch memory.
	if !s.asleep || j.looked == 0 {
		passed = min(passed, time.Duration(max(0, s.cpu-j.cpu)*float64(time.Second)))
	}
	j.still += passed
	// A descendant that is reaped between two reads is missing from the sum
	// for once; the higher figure stands.
	if s.cpu > j.cpu {
		f.sum += s.cpu - j.cpu
		j.cpu = s.cpu
	}
	if s.held > notablePart*j.grown {
		j.grown, j.settled, j.still = s.held, j.age(now), 0
	}
	j.held, j.most, j.asleep, j.looked = s.held, max(j.most, s.held), s.asleep, now
}

// turn returns the next job in the round that is older than age, or ok false
// once the round that began with *left = -1 is over.
func (f *family) turn(now, age time.Duration, left *int) (pid int, since time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.time(now)
	if *left < 0 {
		*left = len(f.order)
	}
	for *left > 0 && len(f.order) > 0 {
		*left--
		if f.next >= len(f.order) {
			f.next = 0
		}
		j := f.order[f.next]
		f.next++
		if now-j.since >= age {
			return j.pid, j.since, true
		}
	}
	return 0, 0, false
}

// begins reports whether the work is new.
func (f *family) begins(now time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.time(now) < f.until && len(f.order) > 0
}

// asleep returns the share that slept of the children that were looked at, 0 unless the
// work is new.
func (f *family) asleep(now time.Duration) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.time(now) >= f.until {
		return 0
	}
	seen, asleep := 0, 0
	for _, j := range f.order {
		if j.looked > 0 {
			seen++
		}
		if j.asleep && !j.suspended {
			asleep++
		}
	}
	return float64(asleep) / float64(max(seen, 1))
}

// running returns the number of children that run.
func (f *family) running() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.order)
}

// cpu returns the CPU seconds of all children so far.
func (f *family) cpu() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sum
}
