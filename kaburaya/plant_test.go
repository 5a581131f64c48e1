package kaburaya_test

import (
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/sense"
)

const (
	period = 100 * time.Millisecond
	unit   = 7 * time.Millisecond // of work; several go into a period
)

// A plant is a machine in virtual time: the CPU usage follows the units in
// flight as law says. It is the sensor, too.
type plant struct {
	cpus   float64
	faster float64 // machine CPU per own CPU
	asked  atomic.Int64

	mu      sync.Mutex
	law     func(inFlight int) float64 // CPUs busy
	ceiling int
	last    time.Time
	used    float64
}

func (p *plant) Sense(inFlight int) sense.Sample {
	p.asked.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.last.IsZero() {
		p.used += now.Sub(p.last).Seconds() * min(p.cpus, p.law(inFlight))
	}
	p.last = now
	return sense.Sample{OwnCPU: p.used, MachineCPU: p.used * p.faster, CPUs: p.cpus, Ceiling: p.ceiling}
}

// change makes the machine a different one.
func (p *plant) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// load keeps n goroutines busy with units of length d until stopped, and waits for
// them then.
func load(s *kaburaya.Sem, n int, d time.Duration) (stop func()) {
	var wg sync.WaitGroup
	var stopped atomic.Bool
	for range n {
		wg.Go(func() {
			for !stopped.Load() {
				s.Wait()
				time.Sleep(d)
				s.Signal()
			}
		})
	}
	return func() {
		stopped.Store(true)
		wg.Wait()
	}
}

// highest runs for d and returns the highest limit seen.
func highest(s *kaburaya.Sem, d time.Duration) int {
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(period) {
		synctest.Wait()
		n = max(n, s.Limit())
	}
	return n
}

func perUnit(share float64) func(int) float64 {
	return func(n int) float64 { return share * float64(n) }
}

func constant(cpus float64) func(int) float64 {
	return func(int) float64 { return cpus }
}
