package control_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A scanned is a search through files on a machine where another process scans each
// first: the machine fills slowly, and directories of small and large files follow each
// other.
type scanned struct {
	*fluid
	size   float64
	others float64 // CPU seconds
}

func newScanned(seed uint64) *scanned {
	rng := rand.New(rand.NewPCG(seed, 11))
	s := &scanned{fluid: &fluid{cpus: 2, cpu: 30e-6}}
	next := time.Duration(0)
	s.rate = func(n int, at time.Duration) float64 {
		if at >= next {
			s.size, next = math.Exp(0.5*rng.NormFloat64()), at+time.Duration(20+rng.IntN(100))*time.Millisecond
		}
		busy := s.cpus * float64(n) / float64(n+1)
		x := busy / 100e-6 / s.size // 100 µs of CPU time a unit, 30 of them ours
		s.others += fluidTick.Seconds() * (busy - s.cpu*x)
		return x
	}
	s.edit = func(r *control.Reading) { r.MachineCPU = r.OwnCPU + max(0, s.others) }
	return s
}

func TestWorkThatOthersDo(t *testing.T) {
	for seed := range uint64(8) {
		s := newScanned(seed)
		c := control.NewSearch()
		var best, n float64
		s.see = func(r control.Reading, d control.Decision) {
			if r.At > 5*time.Second {
				best, n = best+float64(r.Limit)/float64(r.Limit+1), n+1
			}
		}
		s.run(c, 2, 40*time.Second)
		if got := best / n; got < 0.94 {
			t.Errorf("seed %d: the machine is busy for %.3f from 5 to 40 s, want 0.94", seed, got)
		}
		if home := c.Home(); home < 16 || home > 200 {
			t.Errorf("seed %d: the limit stands at %d, want 16 to 200: 49 have 98 %% of the most", seed, home)
		}
	}
}

// The machine's use says nothing where it does not follow the limit.
func TestOthersThatWorkForThemselves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	size, next, others := 1.0, time.Duration(0), 0.0
	p := &fluid{cpus: 4, cpu: 50e-6}
	p.rate = func(n int, at time.Duration) float64 {
		if at >= next {
			size, next = math.Exp(0.5*rng.NormFloat64()), at+time.Duration(20+rng.IntN(100))*time.Millisecond
		}
		others += fluidTick.Seconds() * (2 + 0.2*rng.NormFloat64()) // half of the CPUs
		return 1000 * float64(min(n, 10)) / size
	}
	p.edit = func(r *control.Reading) { r.MachineCPU = r.OwnCPU + others }
	c := control.NewSearch()
	sum, n := 0.0, 0.0
	p.see = func(r control.Reading, _ control.Decision) { sum, n = sum+float64(r.Limit), n+1 }
	p.run(c, 4, 60*time.Second)
	if home := c.Home(); home < 6 || home > 40 {
		t.Errorf("the limit stands at %d, want 6 to 40: more than 10 gain nothing", home)
	}
	if mean := sum / n; mean > 80 {
		t.Errorf("%.0f units on average, want 80 at most: twice where it may stand", mean)
	}
}
