package franzlimit_test

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

	"github.com/twmb/franz-go/pkg/kgo"

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

// BenchmarkBackend consumes a topic of 64 partitions whose records each call the
// backend: with fixed numbers at a time, and with a Limiter.
func BenchmarkBackend(b *testing.B) {
	const partitions, each = 64, 400
	for b.Loop() {
		table, best := new(strings.Builder), 0.0
		measure := func(name string, learn, long time.Duration, l *sweetspot.Limiter) float64 {
			c := newCluster(b, partitions)
			defer c.Close()
			c.produce(each, numbers(partitions)...)
			k := new(backend)
			ctx, cancel := context.WithCancelCause(b.Context())
			done := make(chan error)
			go func() {
				done <- c.consume(ctx, l, func(context.Context, *kgo.Record) error { k.call(); return nil })
			}()
			whole, _ := k.rate(learn)
			rate, p99 := k.rate(long)
			cancel(errStop)
			if err := <-done; err != errStop {
				b.Error(err)
			}
			fmt.Fprintf(table, "\n%-28s %6.0f/s  p99 %6.0f ms  (%.0f/s before)", name, rate, p99.Seconds()*1e3, whole)
			return rate
		}
		for _, n := range []int{4, 8, 10, 12, 16, 64} {
			best = max(best, measure(fmt.Sprintf("%d at a time", n), 500*time.Millisecond, 4*time.Second, setTo(sweetspot.New(), n)))
		}
		for name, law := range map[string]func() control.Controller{
			"by Search":  func() control.Controller { return control.NewOverload(control.NewSearch()) },
			"by Latency": func() control.Controller { return control.NewOverload(control.NewLatency()) },
		} {
			l := sweetspot.New(sweetspot.Controller(law()))
			rate := measure("Consume, "+name, 10*time.Second, 15*time.Second, l)
			fmt.Fprintf(table, "  limit %d, %.3f of the best fixed", l.Limit(), rate/best)
			b.ReportMetric(rate/best, strings.ReplaceAll(name, " ", "-")+"/best")
		}
		b.Log(table)
	}
	b.ReportMetric(0, "ns/op")
}
