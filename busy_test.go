package sweetspot_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/limit"
	"github.com/sweetspot-go/sweetspot/sense"
)

// An admitter is a Limiter or, for comparison, a bare semaphore.
type admitter interface {
	Acquire(context.Context) error
	Release()
}

// load keeps units of a second coming to n admitters, more than each starts with
// permits for, and returns how many CPUs the process uses meanwhile: for a while to
// settle, and then until stop returns.
func load(n int, admit func() admitter, measure func()) (cpus float64) {
	const units, lasts = 6, time.Second
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range n {
		a := admit()
		for j := range units {
			wg.Go(func() {
				select { // not all at the same time
				case <-time.After(lasts * time.Duration(i*units+j) / time.Duration(n*units)):
				case <-ctx.Done():
				}
				for a.Acquire(ctx) == nil {
					select {
					case <-time.After(lasts):
					case <-ctx.Done():
					}
					a.Release()
				}
			})
		}
	}
	time.Sleep(2 * lasts)
	p := sense.NewProcess()
	began, before := time.Now(), p.Sense(0).OwnCPU
	measure()
	cpus = (p.Sense(0).OwnCPU - before) / time.Since(began).Seconds()
	cancel()
	wg.Wait()
	return cpus
}

// BenchmarkBusyLimiters measures what the governors of many Limiters that are in use
// cost: the CPUs used beyond what the same load takes with bare semaphores.
func BenchmarkBusyLimiters(b *testing.B) {
	for _, n := range []int{1, 50, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			bare := load(n, func() admitter { return limit.New(4) }, func() { time.Sleep(2 * time.Second) })
			all := load(n, func() admitter { return sweetspot.New(sweetspot.Start(4)) }, func() {
				for b.Loop() {
					time.Sleep(100 * time.Millisecond)
				}
			})
			b.ReportMetric(all-bare, "CPUs")
			b.ReportMetric((all-bare)/float64(n)*1e6, "µCPUs/Limiter")
		})
	}
}
