package franzlimit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
	"github.com/sweetspot-go/sweetspot/control"
)

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
			k := new(adaptertest.Backend)
			ctx, cancel := context.WithCancelCause(b.Context())
			done := make(chan error)
			go func() {
				done <- c.consume(ctx, l, func(context.Context, *kgo.Record) error { k.Call(); return nil })
			}()
			whole, _ := k.Rate(learn)
			rate, p99 := k.Rate(long)
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
