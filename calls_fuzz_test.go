package sweetspot_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// FuzzCalls runs a call over items of random cost, with a random limit that
// moves, and perhaps an item that fails, panics, cancels or exits, and compares
// it with what a loop would have done.
func FuzzCalls(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, uint16(seed*7), uint8(seed), uint8(seed/5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, limit, fate uint8) {
		synctest.Test(t, func(t *testing.T) {
			p := program{rand: rand.New(rand.NewPCG(seed, 1)), n: int(n % 300), limit: int(limit % 9), fate: int(fate % 6)}
			p.check(t)
		})
	})
}

const (
	goesWell = iota
	fails
	panics
	exits
	isCancelled
	failsAndGoesOn
)

type program struct {
	rand  *rand.Rand
	n     int
	limit int // 0: a shared Limiter that moves
	fate  int // of the item at
	at    int
}

// fuzzed are the calls whose ends can all be compared: a panic in a Group ends the program,
// and Join takes no context.
var fuzzed = slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.name == "Group" || c.name == "Join" })

func (p *program) check(t *testing.T) {
	c := fuzzed[p.rand.IntN(len(fuzzed))]
	if p.fate == failsAndGoesOn && c.at == nil {
		p.fate = fails
	}
	if p.n == 0 {
		p.fate = goesWell
	} else {
		p.at = p.rand.IntN(p.n)
	}
	costs := make([]time.Duration, p.n)
	for i := range costs {
		costs[i] = time.Duration(p.rand.ExpFloat64() * float64(50*time.Microsecond))
		if p.rand.IntN(20) == 0 {
			costs[i] *= 1000
		}
	}
	most, opts := p.options(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)

	var g gauge
	visits := make(once, p.n)
	var returned atomic.Bool
	var err error
	var value any
	done := make(chan struct{})
	go func() {
		defer close(done)
		value = refuse(func() {
			err = c.run(ctx, p.n, func(ctx context.Context, i int) error {
				g.enter()
				defer g.leave()
				visits[i].Add(1)
				if costs[i] > 10*time.Microsecond {
					time.Sleep(costs[i])
				}
				if i != p.at {
					return nil
				}
				switch p.fate {
				case fails, failsAndGoesOn:
					return errBad
				case panics:
					panic(errBad)
				case exits:
					runtime.Goexit()
				case isCancelled:
					cancel(errStop)
				}
				return nil
			}, opts...)
			returned.Store(true)
		})
	}()
	<-done

	if g.now.Load() != 0 {
		t.Fatalf("%d items run after the call", g.now.Load())
	}
	if got := int(g.most.Load()); most > 0 && got > most {
		t.Fatalf("%d in flight, at most %d allowed", got, most)
	}
	for i := range visits {
		if visits[i].Load() > 1 {
			t.Fatalf("item %d was done twice", i)
		}
	}
	if returned.Load() == (p.fate == panics || p.fate == exits) {
		t.Fatalf("fate %d: returned %v, panic %v", p.fate, returned.Load(), value)
	}
	switch p.fate {
	case goesWell:
		visits.check(t, 1)
		if err != nil {
			t.Fatal(err)
		}
	case failsAndGoesOn:
		visits.check(t, 1)
		fallthrough
	case fails:
		if !errors.Is(err, errBad) {
			t.Fatalf("error %v", err)
		}
		if c.at != nil && c.at(err) != p.at {
			t.Fatalf("error %v of item %d", err, p.at)
		}
	case panics:
		if pe, ok := value.(*sweetspot.PanicError); !ok || pe.Value != errBad {
			t.Fatalf("panic %v", value)
		}
	case isCancelled:
		left := false
		for i := range visits {
			left = left || visits[i].Load() == 0
		}
		if left && err != errStop || err != nil && err != errStop {
			t.Fatalf("cancelled, items left: %v; error %v", left, err)
		}
	}
}

// options returns the options of the call and the highest limit they allow.
func (p *program) options(t *testing.T) (most int, opts []sweetspot.MapOption) {
	if p.rand.IntN(3) == 0 {
		opts = append(opts, sweetspot.MinChunk(1+p.rand.IntN(20)))
	}
	if p.fate == failsAndGoesOn {
		opts = append(opts, sweetspot.AllErrors())
	}
	switch {
	case p.limit == 8:
		return 0, opts // automatic
	case p.limit > 0:
		return p.limit, append(opts, sweetspot.Fixed(p.limit))
	}
	l := setTo(governed(law(keep)), 1+p.rand.IntN(6))
	most = l.Limit()
	for range 3 {
		after, n := time.Duration(p.rand.IntN(20_000))*time.Microsecond, 1+p.rand.IntN(6)
		most = max(most, n)
		time.AfterFunc(after, func() { l.SetLimit(n) })
	}
	t.Cleanup(func() {
		if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("the Limiter has %+v after the call", s)
		}
	})
	return most, append(opts, l)
}
