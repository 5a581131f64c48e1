package lab

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// Small units of real work, to compare laws on. The best number of each follows
// from its definition.

// A flow is one kind of unit: it waits, and then computes.
type flow struct {
	name     string
	waits    time.Duration
	places   int // how many can wait at a time; 0 for any number
	computes time.Duration
	best     func() int // a number that gives the most
}

var (
	// toCompute keeps a CPU busy: the best number is that of the CPUs.
	toCompute = flow{name: "computing", computes: time.Millisecond, best: func() int { return runtime.GOMAXPROCS(0) }}
	// toWait is for a service that takes 32 at a time.
	toWait = flow{name: "waiting", waits: 10 * time.Millisecond, places: 32, best: func() int { return 32 }}
	// toMix computes for a fifth of its time. Twice the number that keeps all
	// CPUs busy leaves none idle by chance.
	toMix = flow{name: "mixed", waits: 4 * time.Millisecond, computes: time.Millisecond, best: func() int { return 10 * runtime.GOMAXPROCS(0) }}
	// toLoad computes for a tenth of its time, so its CPU usage follows its number.
	toLoad = flow{name: "loading", waits: 9 * time.Millisecond, computes: time.Millisecond}
)

// prepare prepares units in this process.
func (f flow) prepare() *work {
	var places chan struct{}
	if f.places > 0 {
		places = make(chan struct{}, f.places)
	}
	digests := 0
	var want [16]uint64
	if f.computes > 0 {
		digests = max(1, int(f.computes/digestTime()))
		for key := range want {
			want[key] = digestOf(uint64(key), digests)
		}
	}
	return &work{
		unit: func(i int64) error {
			if places != nil {
				places <- struct{}{}
			}
			time.Sleep(f.waits)
			if places != nil {
				<-places
			}
			key := i % int64(len(want))
			if got := digestOf(uint64(key), digests); digests > 0 && got != want[key] {
				return fmt.Errorf("the digest of %d is %d, want %d", key, got, want[key])
			}
			return nil
		},
	}
}

// digestOf returns the digest of the digest, and so on.
func digestOf(key uint64, digests int) uint64 {
	for range digests {
		key = digest(key)
	}
	return key
}

// digestTime returns how long a digest takes, undisturbed.
func digestTime() time.Duration {
	const tries, digests = 20, 50
	least := time.Second
	for range tries {
		began := time.Now()
		if digestOf(1, digests) == 0 { // what is not looked at is not computed
			panic("lab: the digest of 1 is 0")
		}
		least = min(least, time.Since(began))
	}
	return max(1, least/digests)
}

// underLaw has units governed by a law, from a limit of 1 on, as the talk's.
func underLaw(l law) governor {
	open := func(most int) gate {
		c, aimed := l.make(), unaimed
		if t, ok := c.(*control.DynamicTarget); ok {
			a := &aiming{law: t}
			c, aimed = a, a.aim
		}
		return byLimiter{sweetspot.New(sweetspot.Controller(c), sweetspot.Start(1), sweetspot.Max(cmp.Or(most, highestLimit))), aimed}
	}
	return governor{name: l.name, open: open, law: l.make}
}

// aiming is the talk's law, watched.
type aiming struct {
	law *control.DynamicTarget
	lastAim
}

func (a *aiming) Next(r control.Reading) control.Decision {
	d := a.law.Next(r)
	a.Store(&aim{a.law.Usage(), a.law.SetPoint()})
	return d
}

// bestTime is how long the best fixed number is measured: before the law that
// is compared with it, and once more afterwards, because disturbances come and
// go.
const bestTime = 60 * time.Millisecond

// scored measures what share of the throughput of the best fixed number a governor
// has from the first moment to the last, its search included. Experiments that
// score the same share the measurement.
func (f flow) scored(label string, g governor) point {
	return point{
		label: label, unit: scoreUnit, ours: g.ours, panel: f.panel(), from: f.panel() + ": " + g.name,
		set: func(n int) (task, error) {
			st := &streamed{work: f.prepare(), length: time.Duration(n) * time.Millisecond, label: g.name, panel: f.panel(), ours: g.ours}
			t := valued(func() (float64, error) { return f.score(st, g) })
			t.check, t.aside = st.check, st.aside
			return t, nil
		},
	}
}

func (f flow) panel() string { return "real, " + f.name }

// score streams under g, and compares.
func (f flow) score(st *streamed, g governor) (float64, error) {
	before, err := f.bestRate(st.work)
	if err != nil {
		return 0, err
	}
	if err := st.under(g, 0); err != nil {
		return 0, err
	}
	after, err := f.bestRate(st.work)
	return 2 * st.rate / (before + after), err
}

// bestRate returns the throughput of the best fixed number, including the finished part of the
// units under way at the end, which hardly counts in a long stream. If others leave so little of
// the machine that hardly any unit ends in time, it takes longer.
func (f flow) bestRate(w *work) (float64, error) {
	const enough, longest = 8, 64 * bestTime
	for length := bestTime; ; length *= 2 {
		st := &streamed{work: w, length: length}
		err := st.under(fixedAt(f.best()), 0)
		switch {
		case err != nil:
			return 0, err
		case st.rate*length.Seconds() >= enough:
			return st.times.rate, st.check()
		case length >= longest:
			return 0, fmt.Errorf("too few units ended within %v", length)
		}
	}
}

// limitOf is the mean limit of the stream that scored measures.
func (f flow) limitOf(label string, g governor) point {
	return f.scored(label, g).showing(label, limitUnit, meanLimit)
}

// unitTimes says how many units a second a stream does, by J. D. C. Little's law (Operations
// Research 9(3), 1961): the mean number under way over the time that one takes. Of the units
// under way at the end it counts the finished part. Counting only units that have ended would
// lose up to all those under way, which are a sixth of a short stream.
type unitTimes struct {
	mu       sync.Mutex
	underWay int
	began    time.Duration // when those began, in all
	ended    int
	took     time.Duration // by those, in all
	rate     float64       // up to the cut, 0 if none had ended
}

func (u *unitTimes) begin(w *watch) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Since(w.began)
	u.underWay++
	u.began += now
	return now
}

func (u *unitTimes) end(w *watch, began time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.underWay--
	u.began -= began
	u.ended++
	u.took += time.Since(w.began) - began
}

// cut takes the rate up to now.
func (u *unitTimes) cut(now time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended == 0 {
		return
	}
	inAll := u.took + time.Duration(u.underWay)*now - u.began
	u.rate = float64(inAll) / now.Seconds() / float64(u.took) * float64(u.ended)
}
