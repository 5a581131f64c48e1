package riverlimit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// A backend serves 8 calls at a time in 20 ms each, so 400 a second. With more, all
// become slower: by (n/8)^1.5 with n at a time.
type backend struct {
	running atomic.Int64
	mu      sync.Mutex
	took    []time.Duration
}

func (b *backend) call() {
	began := time.Now()
	crowd := max(float64(b.running.Add(1))/8, 1)
	time.Sleep(time.Duration(20e6 * math.Pow(crowd, 1.5)))
	b.running.Add(-1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took = append(b.took, time.Since(began))
}

// rate returns the calls a second and the 99th percentile of their times for so long.
func (b *backend) rate(long time.Duration) (rate float64, p99 time.Duration) {
	b.mu.Lock()
	b.took = nil
	b.mu.Unlock()
	began := time.Now()
	time.Sleep(long)
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.Sort(b.took)
	return float64(len(b.took)) / time.Since(began).Seconds(), b.took[len(b.took)*99/100]
}

// BenchmarkBackend works off a queue whose jobs each call the backend: with fixed numbers
// of workers, and with 100 workers behind the middleware; with river's usual time between
// fetches, and with the shortest it allows.
func BenchmarkBackend(b *testing.B) {
	for _, cooldown := range []time.Duration{river.FetchCooldownDefault, river.FetchCooldownMin} {
		b.Run(fmt.Sprint("cooldown", cooldown), func(b *testing.B) {
			for b.Loop() {
				sweep(b, cooldown)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func sweep(b *testing.B, cooldown time.Duration) {
	const jobs = 15_000
	table, best := new(strings.Builder), 0.0
	measure := func(name string, workers int, l *sweetspot.Limiter, learn, long time.Duration) float64 {
		bed := newBed(b)
		bed.insert(jobs)
		k := new(backend)
		c := config(workers, l, func(context.Context, *river.Job[mail]) error { k.call(); return nil })
		c.FetchCooldown, c.FetchPollInterval = cooldown, river.FetchPollIntervalDefault
		client := bed.start(c)
		whole, _ := k.rate(learn)
		rate, p99 := k.rate(long)
		fmt.Fprintf(table, "\n%-28s %6.0f/s  p99 %6.0f ms  (%.0f/s before)", name, rate, p99.Seconds()*1e3, whole)
		if err := client.StopAndCancel(b.Context()); err != nil {
			b.Error(err)
		}
		return rate
	}
	for _, n := range []int{8, 10, 12, 16, 24, 100} {
		best = max(best, measure(fmt.Sprintf("MaxWorkers %d", n), n, nil, 500*time.Millisecond, 4*time.Second))
	}
	for name, law := range map[string]func() control.Controller{
		"by Search":  func() control.Controller { return control.NewOverload(control.NewSearch()) },
		"by Latency": func() control.Controller { return control.NewOverload(control.NewLatency()) },
	} {
		l := sweetspot.New(sweetspot.Controller(law()))
		rate := measure("the middleware, "+name, 100, l, 10*time.Second, 15*time.Second)
		fmt.Fprintf(table, "  limit %d, %.3f of the best fixed", l.Limit(), rate/best)
		b.ReportMetric(rate/best, strings.ReplaceAll(name, " ", "-")+"/best")
	}
	b.Log(table)
}
