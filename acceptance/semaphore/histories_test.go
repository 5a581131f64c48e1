package semaphore

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
)

var histories = flag.Int("histories", 300, "how many histories of each kind to check")

// TestHistories runs random programs on real threads, and holds what they saw to the
// model.
func TestHistories(t *testing.T) {
	for _, kind := range []struct {
		name    string
		letters string
		make    func(limit int) permits
	}{
		{"Semaphore", "aaaccctttiirrrrkknnx1234lq", func(n int) permits { return semaphore{limit.New(n)} }},
		{"Semaphore misused", "acctttmmrrkknx123lq", func(n int) permits { return semaphore{limit.New(n)} }},
		{"Limiter", "aaaccctttrrrrkkx1234lq", func(n int) permits { return newLimiter(n) }},
		{"Limiter with a name", "aaaccctttrrrrkkx1234lq", func(n int) permits {
			return newLimiter(n, sweetspot.Name("histories"))
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			calls, waits := 0, 0
			for seed := range *histories {
				r := rand.New(rand.NewPCG(uint64(seed), 0))
				p := random(r, kind.letters)
				e := newExecution(p, kind.make(p.limit), newThreads(r, len(strings.Fields(p.text))))
				e.together()
				history := e.history()
				if !e.allowed(history) {
					t.Fatalf("the model does not allow this history of seed %d, limit %d, %q:%s", seed, p.limit, p.text, explain(history))
				}
				calls += len(history)
				for _, op := range history {
					if c, ok := op.Output.(counts); ok && c.waiting > 0 {
						waits++
					}
				}
			}
			t.Logf("%d histories, %d events, somebody seen waiting %d times", *histories, calls, waits)
			if waits == 0 {
				t.Error("nobody was ever seen waiting: these histories test little")
			}
		})
	}
}

// random returns a program of 3 to 6 goroutines with some of these letters. Each gives
// back at its end what it may hold, so nobody waits for ever.
func random(r *rand.Rand, letters string) program {
	p := program{limit: 1 + r.IntN(3)}
	var goroutines []string
	for range 3 + r.IntN(4) {
		var b strings.Builder
		for range 4 + r.IntN(12) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		goroutines = append(goroutines, b.String()+"r")
	}
	p.text = strings.Join(goroutines, " ")
	return p
}

// together runs all goroutines at the same time, and returns when all have ended.
func (e *execution) together() {
	var ready atomic.Int32
	var all sync.WaitGroup
	for g := range e.goroutines {
		all.Go(func() {
			for ready.Add(1); int(ready.Load()) < len(e.goroutines); {
				runtime.Gosched()
			}
			e.run(g)
		})
	}
	all.Wait()
}

// threads is what surrounds goroutines on real threads.
type threads struct {
	epoch time.Time
	ctx   atomic.Pointer[ending]
	dice  []*rand.Rand // of each goroutine
}

type ending struct {
	context.Context
	cancel context.CancelFunc
}

func newThreads(r *rand.Rand, n int) *threads {
	s := &threads{epoch: time.Now()}
	s.renew()
	for range n {
		s.dice = append(s.dice, rand.New(rand.NewPCG(r.Uint64(), 0)))
	}
	return s
}

// begin reads a clock, for a counter would put the calls in an order that they do not
// have.
func (s *threads) begin(call) int64           { return int64(time.Since(s.epoch)) }
func (s *threads) end(call, event, any) int64 { return int64(time.Since(s.epoch)) }
func (s *threads) context() context.Context   { return s.ctx.Load() }
func (s *threads) cancel()                    { s.renew().cancel() }
func (s *threads) between(g int, _ uint64) {
	for range s.dice[g].IntN(3) {
		runtime.Gosched()
	}
}

// renew makes a new context, and returns the last one.
func (s *threads) renew() (last *ending) {
	ctx, cancel := context.WithCancel(context.Background())
	return s.ctx.Swap(&ending{ctx, cancel})
}

// limiter is a Limiter whose limit is set manually. A Unit gives back whatever permit is
// held, so one is enough.
type limiter struct {
	*sweetspot.Limiter
	unit sweetspot.Unit
}

func newLimiter(n int, opts ...sweetspot.LimiterOption) limiter {
	l := sweetspot.New(opts...)
	l.SetLimit(n)
	u, _ := l.TryBegin()
	u.End(sweetspot.Ignored, 1)
	return limiter{l, u}
}

func (l limiter) AcquireIn(context.Context, *limit.Waiter) error { panic("a Limiter has none") }
func (l limiter) Renew() bool                                    { panic("a Limiter has none") }
func (l limiter) Release()                                       { l.unit.Restart().End(sweetspot.Done, 3) }
func (l limiter) Cancel()                                        { l.unit.End(sweetspot.Ignored, 1) }
func (l limiter) counts() counts {
	s := l.Stats()
	return counts{s.Limit, s.InFlight, s.Waiting, s.Completed}
}

// faulty is a semaphore with a wrong step.
type faulty struct {
	semaphore
	fault string
}

func (f faulty) TryAcquire() bool {
	return f.semaphore.TryAcquire() || f.fault == "a permit too many"
}

func (f faulty) Acquire(ctx context.Context) error {
	if f.fault == "who gives up keeps the permit" {
		f.semaphore.TryAcquire()
		return context.Canceled
	}
	return f.semaphore.Acquire(ctx)
}

func (f faulty) Release() {
	if f.fault != "a permit is lost" {
		f.semaphore.Release()
	}
}

func (f faulty) Cancel() {
	if f.fault == "Cancel counts" {
		f.semaphore.Release()
		return
	}
	f.semaphore.Cancel()
}

func (f faulty) Renew() bool {
	return f.semaphore.Renew() || f.fault == "Renew stays"
}

func (f faulty) SetLimit(n int) {
	if f.fault != "the limit stays" {
		f.semaphore.SetLimit(n)
	}
}

// TestFaultyHistories: the checker finds each fault.
func TestFaultyHistories(t *testing.T) {
	for fault, letters := range map[string]string{
		"a permit too many":             "trkq",
		"who gives up keeps the permit": "ttrc",
		"a permit is lost":              "tr",
		"Cancel counts":                 "tkq",
		"Renew stays":                   "tnnr1234q",
		"the limit stays":               "trn1234l",
	} {
		found := 0
		for seed := 0; seed < 100 && found == 0; seed++ {
			r := rand.New(rand.NewPCG(uint64(seed), 0))
			p := random(r, letters)
			e := newExecution(p, faulty{semaphore{limit.New(p.limit)}, fault}, newThreads(r, len(strings.Fields(p.text))))
			e.together()
			if !e.allowed(e.history()) {
				found = seed + 1
			}
		}
		if found == 0 {
			t.Errorf("%s: 100 histories do not show that", fault)
		}
		t.Logf("%s: shown by history %d", fault, found)
	}
}
