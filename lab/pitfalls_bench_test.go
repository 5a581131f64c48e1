package lab_test

import (
	"context"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/lab"
)

// The pitfalls of the articles as benchmarks, each beside what fixes it, for
// sweetspot diagnose to be held against: of the bad variant it has to name the
// cause that was planted, and in the good one to find nothing to fix.

// How much there is to do in an iteration: some milliseconds' worth.
const (
	numbersAdded = 4 << 20
	intsSent     = 10_000
	fibOf        = 20
	fibIs        = 6765
	nodesMarked  = 5461 // a complete tree of height six
	unitsDone    = 1000
)

func BenchmarkB2(b *testing.B) {
	want := lab.SumBelow(numbersAdded)
	for _, v := range []struct {
		name string
		sum  func() int64
	}{
		{"SharedSlice", lab.AddNumbers(numbersAdded, lab.Word, false)},
		{"SharedSliceAtomic", lab.AddNumbers(numbersAdded, lab.Word, true)},
		{"Apart", lab.AddNumbers(numbersAdded, lab.Apart, false)},
		{"ReduceRange", func() int64 {
			s, err := lab.SumByReduce(numbersAdded)
			if err != nil {
				b.Error(err)
			}
			return s
		}},
	} {
		b.Run(v.name, func(b *testing.B) {
			for b.Loop() {
				if got := v.sum(); got != want {
					b.Fatalf("the sum is %d, want %d", got, want)
				}
			}
		})
	}
}

func BenchmarkC1(b *testing.B) {
	const want = intsSent * (intsSent - 1) / 2
	b.Run("Unbuffered", func(b *testing.B) {
		for b.Loop() {
			if got := lab.Stream(false, intsSent, 0); got != want {
				b.Fatalf("the sum is %d, want %d", got, want)
			}
		}
	})
	b.Run("MapSeq", func(b *testing.B) {
		for b.Loop() {
			if got, err := lab.StreamBySeq(intsSent); err != nil || got != want {
				b.Fatalf("the sum is %d, %v; want %d", got, err, want)
			}
		}
	})
}

func BenchmarkD2(b *testing.B) {
	b.Run("Parallel1", fibs(lab.FibParallel1))
	b.Run("JoinSerial", fibs(lab.FibJoined))
}

func BenchmarkD3(b *testing.B) {
	b.Run("Parallel2", fibs(lab.FibParallel2))
	b.Run("JoinSerial", fibs(lab.FibJoined))
}

func fibs(fib func(int) int) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			if got := fib(fibOf); got != fibIs {
				b.Fatalf("fib(%d) is %d, want %d", fibOf, got, fibIs)
			}
		}
	}
}

func BenchmarkD4(b *testing.B) {
	b.Run("GoroutinePerNode", func(b *testing.B) {
		mark := lab.MarkEach(nodesMarked)
		for b.Loop() {
			if got := mark(); got != nodesMarked {
				b.Fatalf("%d nodes are reached, want %d", got, nodesMarked)
			}
		}
	})
	b.Run("Walk", func(b *testing.B) {
		mark := lab.MarkByWalk(nodesMarked)
		for b.Loop() {
			if got, err := mark(); err != nil || got != nodesMarked {
				b.Fatalf("%d nodes are reached, %v; want %d", got, err, nodesMarked)
			}
		}
	})
}

// BenchmarkUnbounded has the units of the first article without a pool: one
// goroutine for each of them, all at once.
func BenchmarkUnbounded(b *testing.B) {
	units := make([]uint64, unitsDone)
	for i := range units {
		units[i] = uint64(i)
	}
	for _, kind := range []struct {
		name string
		do   func(uint64) (uint64, error)
	}{{"Hash", lab.HashNumber}, {"Empty", lab.Nothing}} {
		want := make([]uint64, len(units))
		for i, u := range units {
			want[i], _ = kind.do(u)
		}
		check := func(b *testing.B, got []uint64) {
			for i := range want {
				if got[i] != want[i] {
					b.Fatalf("the result of unit %d is %d, want %d", i, got[i], want[i])
				}
			}
		}
		b.Run("GoroutinePerUnit"+kind.name, func(b *testing.B) {
			for b.Loop() {
				got := make([]uint64, len(units))
				var all sync.WaitGroup
				for i, u := range units {
					all.Go(func() { got[i], _ = kind.do(u) })
				}
				all.Wait()
				check(b, got)
			}
		})
		b.Run("Map"+kind.name, func(b *testing.B) {
			do := func(_ context.Context, u uint64) (uint64, error) { return kind.do(u) }
			for b.Loop() {
				got, err := sweetspot.Map(context.Background(), units, do)
				if err != nil {
					b.Fatal(err)
				}
				check(b, got)
			}
		})
	}
}
