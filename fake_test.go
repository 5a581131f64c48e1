package sweetspot_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A law is a controller made of a function.
type law func(control.Reading) control.Decision

func (f law) Next(r control.Reading) control.Decision { return f(r) }

// keep leaves the limit alone.
func keep(r control.Reading) control.Decision { return control.Decision{Limit: r.Limit} }

// A recorder keeps the readings that a law is given.
type recorder struct {
	law
	mu       sync.Mutex
	readings []control.Reading
}

func (c *recorder) Next(r control.Reading) control.Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readings = append(c.readings, r)
	return c.law(r)
}

// all returns the readings so far.
func (c *recorder) all() []control.Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.readings)
}

func (c *recorder) asked() int { return len(c.all()) }

func (c *recorder) last() control.Reading {
	all := c.all()
	return all[len(all)-1]
}

// A sensor is made of a function.
type sensor func(inFlight int) sense.Sample

func (f sensor) Sense(inFlight int) sense.Sample { return f(inFlight) }

// bored is a machine with two CPUs that nobody uses.
func bored(int) sense.Sample { return sense.Sample{CPUs: 2} }

// governed returns a Limiter on a bored machine.
func governed(c control.Controller, opts ...sweetspot.LimiterOption) *sweetspot.Limiter {
	return sweetspot.New(append([]sweetspot.LimiterOption{
		sweetspot.Controller(c), sweetspot.Sensor(sensor(bored)),
	}, opts...)...)
}

// A gauge counts who is in, how many were in at most, and who ever was.
type gauge struct{ now, most, total atomic.Int64 }

func (g *gauge) enter() {
	g.total.Add(1)
	n := g.now.Add(1)
	for m := g.most.Load(); n > m && !g.most.CompareAndSwap(m, n); m = g.most.Load() {
	}
}

func (g *gauge) leave() { g.now.Add(-1) }

// together runs f(0) to f(n-1) at the same time and waits for all of them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// refuse calls f and returns what it panics with, or nil.
func refuse(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// take acquires n permits that are free.
func take(t *testing.T, l *sweetspot.Limiter, n int) {
	t.Helper()
	for range n {
		if !l.TryAcquire() {
			t.Fatalf("no permit: %+v", l.Stats())
		}
	}
}

// isFree checks that nothing is held or waited for, and that all permits and no
// more can be had.
func isFree(t *testing.T, l *sweetspot.Limiter) {
	t.Helper()
	if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Reserved != 0 || s.Reserving != 0 {
		t.Fatalf("at the end %+v, want nothing in flight or waiting", s)
	}
	n := 0
	for l.TryAcquire() {
		n++
	}
	if n != l.Limit() {
		t.Fatalf("%d permits could be had, want %d", n, l.Limit())
	}
	for range n {
		l.Unit().End(sweetspot.Ignored, 1)
	}
}

// pause lets time pass, and then lets everybody finish what is due: what they
// wrote may be read.
func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// rests lets a Limiter with nothing in flight come to rest.
func rests(t *testing.T, l *sweetspot.Limiter) {
	t.Helper()
	pause(200 * time.Millisecond) // a law that sleeps is woken by the next look
	if l.Awake() {
		t.Fatalf("awake with nothing to do: %+v", l.Stats())
	}
}

// near reports whether two sums of seconds are equal but for rounding.
func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}

// as returns those of opts that belong to another family.
func as[O, I any](opts []I) (as []O) {
	for _, o := range opts {
		if o, ok := any(o).(O); ok {
			as = append(as, o)
		}
	}
	return as
}
