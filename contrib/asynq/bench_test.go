package asynqlimit_test

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

	"github.com/hibiken/asynq"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
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

// A server is one of asynq, or ours.
type server interface {
	Start(asynq.Handler) error
	Shutdown()
}

// BenchmarkBackend works off a queue whose tasks each call the backend: by asynq with
// fixed numbers, and by NewServer.
func BenchmarkBackend(b *testing.B) {
	const tasks = 15_000
	for b.Loop() {
		table, best := new(strings.Builder), 0.0
		measure := func(name string, learn, long time.Duration, newServer func(bed *bed) server) float64 {
			bed := newBed(b)
			bed.enqueue(tasks)
			k := new(backend)
			s := newServer(bed)
			start(b, s, func(context.Context, *asynq.Task) error { k.call(); return nil })
			defer s.Shutdown()
			whole, _ := k.rate(learn)
			rate, p99 := k.rate(long)
			fmt.Fprintf(table, "\n%-28s %6.0f/s  p99 %6.0f ms  (%.0f/s before)", name, rate, p99.Seconds()*1e3, whole)
			return rate
		}
		for _, n := range []int{4, 8, 10, 12, 16, 64} {
			rate := measure(fmt.Sprintf("Concurrency %d", n), 500*time.Millisecond, 4*time.Second, func(bed *bed) server {
				cfg := quick()
				cfg.Concurrency = n
				return asynq.NewServer(bed.opt, cfg)
			})
			best = max(best, rate)
		}
		for name, law := range map[string]func() control.Controller{
			"by Search":  func() control.Controller { return control.NewOverload(control.NewSearch()) },
			"by Latency": func() control.Controller { return control.NewOverload(control.NewLatency()) },
		} {
			l := sweetspot.New(sweetspot.Controller(law()))
			rate := measure("NewServer, "+name, 10*time.Second, 15*time.Second, func(bed *bed) server {
				return asynqlimit.NewServer(bed.opt, quick(), l)
			})
			fmt.Fprintf(table, "  limit %d, %.3f of the best fixed", l.Limit(), rate/best)
			b.ReportMetric(rate/best, strings.ReplaceAll(name, " ", "-")+"/best")
		}
		b.Log(table)
	}
	b.ReportMetric(0, "ns/op")
}
