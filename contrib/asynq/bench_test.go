package asynqlimit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hibiken/asynq"

	"github.com/sweetspot-go/sweetspot"
	asynqlimit "github.com/sweetspot-go/sweetspot/contrib/asynq"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adaptertest"
	"github.com/sweetspot-go/sweetspot/control"
)

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
			k := new(adaptertest.Backend)
			s := newServer(bed)
			start(b, s, func(context.Context, *asynq.Task) error { k.Call(); return nil })
			defer s.Shutdown()
			whole, _ := k.Rate(learn)
			rate, p99 := k.Rate(long)
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
