package main

import (
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// The client's settings in Vector's tests: those given there, and its defaults.
const (
	vectorTimeout    = time.Second
	vectorBackoff    = time.Second      // the first; the following ones are Fibonacci's
	vectorMaxBackoff = 30 * time.Second // at most
	vectorMaxLimit   = 200
)

// A vectorRun sends the requests of a scenario to its sink.
type vectorRun struct {
	clock *clock
	sc    *vectorScenario
	sink  *sink
	lim   *limiter
	seen  vectorClient
	// around says what a permit is held for: the request with all its retries and
	// the pauses between them, as in Vector, or each attempt, as in sweetspot.
	around bool

	ready  int // requests to begin
	asking bool
	served int
}

// newVectorRun returns a run; admit makes the limiter.
func newVectorRun(sc *vectorScenario, seed uint64, around bool, admit func(*clock) *limiter) *vectorRun {
	c := new(clock)
	r := &vectorRun{clock: c, sc: sc, around: around, lim: admit(c)}
	r.sink = &sink{clock: c, sc: sc, dice: rand.New(rand.NewPCG(seed, 1))}
	r.lim.watched = append([]watcher{&r.seen}, r.lim.watched...)
	return r
}

// play runs the scenario until the sink has served all requests, and says how long
// that took. It gives up after an hour, and then returns that.
func (r *vectorRun) play() time.Duration {
	if r.sc.Interval == 0 {
		r.ready = r.sc.Requests
	} else {
		r.generate(r.sc.Requests)
	}
	r.feed()
	r.clock.run(time.Hour)
	r.seen.limits.add(r.lim.limit, r.clock.now)
	return r.clock.now
}

func (r *vectorRun) generate(n int) {
	r.ready++
	r.feed()
	if n > 1 {
		r.clock.after(seconds(r.sc.Interval), func() { r.generate(n - 1) })
	}
}

// feed begins requests one after the other: one at most waits for its permit.
func (r *vectorRun) feed() {
	if r.ready == 0 || r.asking {
		return
	}
	r.ready--
	r.asking = true
	r.lim.acquire(func(u unit) {
		r.asking = false
		r.attempt(u, 0, vectorBackoff)
		r.feed()
	})
}

// attempt sends a request, again later if it is refused. The two pauses are the last
// one and the next one.
func (r *vectorRun) attempt(u unit, last, pause time.Duration) {
	open := true
	retry := func() {
		next := min(last+pause, vectorMaxBackoff)
		again := func(u unit) { r.attempt(u, pause, next) }
		if r.around {
			r.clock.after(next, func() { again(u) })
			return
		}
		u.end(sweetspot.Overloaded)
		r.clock.after(next, func() { r.lim.acquire(again) })
	}
	r.sink.request(func(ok bool) {
		if !open {
			return
		}
		open = false
		if !ok {
			retry()
			return
		}
		u.end(sweetspot.Done)
		if r.served++; r.served == r.sc.Requests {
			r.clock.halted = true
		}
	})
	r.clock.after(vectorTimeout, func() {
		if open {
			open = false
			retry()
		}
	})
}

// A vectorClient measures what Vector's tests measure at the client.
type vectorClient struct {
	inFlight levels
	limits   levels
	times    sampled
}

func (v *vectorClient) started(l *limiter) {
	if !v.limits.begun {
		v.limits.add(l.limit, l.clock.now)
	}
	v.inFlight.add(l.inFlight, l.clock.now)
}

func (v *vectorClient) ended(l *limiter, began time.Duration, o sweetspot.Outcome) {
	v.inFlight.add(l.inFlight, l.clock.now)
	if o == sweetspot.Done {
		v.times.add((l.clock.now - began).Seconds(), l.clock.now)
	}
}

func (v *vectorClient) resized(l *limiter) { v.limits.add(l.limit, l.clock.now) }
