package temporallimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sense"
	"go.temporal.io/sdk/worker"
)

// resting is a sensor of a machine at rest.
type resting struct{}

func (resting) Sense(int) sense.Sample { return sense.Sample{CPUs: 2} }

// simulate has a worker of activities work off a full queue for 30 s of virtual
// time, as the SDK does: five pollers reserve a slot, poll and hand the task over. A
// message takes 2 ms, and an activity is a call of 18 to 22 ms to a backend that
// serves 8 at a time. It returns the activities per second and the 99th percentile of
// the calls' times, after the first 10 s.
func simulate(t *testing.T, s worker.SlotSupplier) (rate float64, p99 time.Duration) {
	const pollers, message, settled, end = 5, 2 * time.Millisecond, 10 * time.Second, 30 * time.Second
	began := time.Now()
	ctx, cancel := context.WithDeadline(t.Context(), began.Add(end))
	defer cancel()
	servers := make(chan struct{}, serverCount)
	var mu sync.Mutex
	var took []time.Duration
	var issued atomic.Int64
	var wg sync.WaitGroup
	for i := range pollers {
		r := rand.New(rand.NewPCG(8, uint64(i)))
		wg.Go(func() {
			for {
				permit, err := s.ReserveSlot(ctx, info{queue: "a", issued: int(issued.Load())})
				if err != nil || ctx.Err() != nil {
					if err == nil {
						s.ReleaseSlot(releaseInfo{permit: permit})
					}
					return
				}
				issued.Add(1)
				time.Sleep(message)
				s.MarkSlotUsed(info{permit: permit})
				service := serviceTime * time.Duration(90+r.IntN(21)) / 100
				wg.Go(func() {
					came := time.Now()
					servers <- struct{}{}
					time.Sleep(service)
					<-servers
					if at := time.Now(); at.Sub(began) >= settled && at.Sub(began) < end {
						mu.Lock()
						took = append(took, at.Sub(came))
						mu.Unlock()
					}
					time.Sleep(message)
					s.ReleaseSlot(releaseInfo{permit: permit})
					issued.Add(-1)
				})
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return float64(len(took)) / (end - settled).Seconds(), took[len(took)*99/100]
}

// A Limiter has nearly the throughput of the best fixed number of slots and, by the law
// of Latency, nearly its latency.
func TestLimiterBesideFixedSizes(t *testing.T) {
	rerun.Skip(t)
	type result struct {
		name string
		rate float64
		p99  time.Duration
	}
	run := func(name string, s func() worker.SlotSupplier) (r result) {
		synctest.Test(t, func(t *testing.T) {
			r.name = name
			r.rate, r.p99 = simulate(t, s())
		})
		return r
	}
	var all []result
	for _, n := range []int{4, 8, 10, 11, 12, 16, 1000} {
		all = append(all, run(fmt.Sprintf("%d slots", n), func() worker.SlotSupplier {
			s, err := worker.NewFixedSizeSlotSupplier(n)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}))
	}
	// The best has the least latency of those whose rate is within 1 % of the highest.
	highest := slices.MaxFunc(all, func(a, b result) int { return int(a.rate*1e3 - b.rate*1e3) }).rate
	best := result{p99: time.Hour}
	for _, r := range all {
		if r.rate >= 0.99*highest && r.p99 < best.p99 {
			best = r
		}
	}
	limited := func(law control.Controller) func() worker.SlotSupplier {
		return func() worker.SlotSupplier {
			return temporallimit.NewSlotSupplier(sweetspot.New(
				sweetspot.Start(2), sweetspot.Controller(law), sweetspot.Sensor(resting{})))
		}
	}
	latency, search := run("by Latency", limited(control.NewLatency())), run("by Search", limited(control.NewSearch()))
	all = append(all, latency, search, run("the resource tuner", func() worker.SlotSupplier {
		tuner, err := worker.NewResourceBasedTuner(worker.ResourceBasedTunerOptions{TargetMem: 0.8, TargetCpu: 0.9, InfoSupplier: machine{}})
		if err != nil {
			t.Fatal(err)
		}
		return tuner.GetActivityTaskSlotSupplier()
	}))
	table := new(strings.Builder)
	for _, r := range all {
		fmt.Fprintf(table, "\n%-20s %5.1f/s  p99 %v", r.name, r.rate, r.p99.Round(time.Millisecond/10))
	}
	t.Log(table)
	t.Logf("by Latency: %.3f of the rate and %.2f of the latency of %s",
		latency.rate/best.rate, latency.p99.Seconds()/best.p99.Seconds(), best.name)
	if latency.rate < 0.95*best.rate || latency.p99 > best.p99*3/2 {
		t.Error("by Latency: want at least 0.95 of the rate, and at most 1.5 of the latency")
	}
	if search.rate < 0.95*best.rate {
		t.Error("by Search: want at least 0.95 of the rate")
	}
}
