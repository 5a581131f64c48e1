package riverlimit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
	"github.com/sweetspot-go/sweetspot/control"
)

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
		k := new(adaptertest.Backend)
		c := config(workers, l, func(context.Context, *river.Job[mail]) error { k.Call(); return nil })
		c.FetchCooldown, c.FetchPollInterval = cooldown, river.FetchPollIntervalDefault
		client := bed.start(c)
		whole, _ := k.Rate(learn)
		rate, p99 := k.Rate(long)
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
