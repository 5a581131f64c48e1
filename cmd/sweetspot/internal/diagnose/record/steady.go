package record

import (
	"runtime"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/sense"
)

const (
	// steadySteps take some 5 ms.
	steadySteps = 8 << 20
	// steadyRounds is how often both are measured: the median of an odd number.
	steadyRounds = 7
	// controlRounds is how often after each round of a benchmark, which takes tens of milliseconds.
	controlRounds = 3
)

// Steadiness returns how many times as much CPU time a loop in registers takes in a
// goroutine for each of the most CPUs that work is measured at as for each of the fewest.
// It shares no memory, so what is above 1 is the machine's doing: CPUs that are threads of
// one core, or that run slower together. It is 1 where the CPU time cannot be told.
func (o Options) Steadiness() float64 { return max(loopRatio(o.gomaxprocs(), steadyRounds), 1) }

// loopRatio is the median of some such ratios, which noise may have below 1.
func loopRatio(procs []int, rounds int) float64 {
	few, many := procs[0], procs[len(procs)-1]
	if few == many {
		return 1
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(many))
	process := sense.NewProcess()
	used := func(goroutines int) float64 {
		before := process.Sense(0).OwnCPU
		var wg sync.WaitGroup
		for i := range goroutines {
			wg.Go(func() { turn(uint64(i)) })
		}
		wg.Wait()
		return (process.Sense(0).OwnCPU - before) / float64(goroutines)
	}
	used(many) // wakes the CPUs
	var least, most []float64
	for range rounds {
		least = append(least, used(few))
		most = append(most, used(many))
	}
	if r := evidence.RatioOf(most, least).Mid; r > 0 {
		return r
	}
	return 1
}

// control has the loop in registers run between the rounds, so that what the machine
// does to the CPU time just then is known, too.
func (r *recorder) control(o *evidence.Observation) {
	if len(r.Procs) > 1 {
		o.Control = append(o.Control, loopRatio(r.Procs, controlRounds))
	}
}

// turn keeps a CPU busy with steps that each need the one before.
func turn(x uint64) {
	for range steadySteps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 1 {
		panic("diagnose: unreachable, but the compiler does not know that the loop is of no use")
	}
}
