package promsweetspot_test

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/sweetspot-go/sweetspot"
	promsweetspot "github.com/sweetspot-go/sweetspot/contrib/prometheus"
)

// TestCollector: what Prometheus reads, to the letter.
func TestCollector(t *testing.T) {
	// Limiters of other tests, and of this one before, leave with the garbage.
	for i := 0; i < 10_000 && len(sweetspot.Limiters()) > 0; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	var l *sweetspot.Limiter
	var a, b sweetspot.Unit
	synctest.Test(t, func(t *testing.T) {
		l = setTo(sweetspot.New(sweetspot.Name("prom"), sweetspot.Start(2)), 2)
		a, _ = l.Begin(t.Context())
		b, _ = l.Begin(t.Context())
		for range 2 {
			go l.Acquire(t.Context())
		}
		time.Sleep(time.Second)
		a.End(sweetspot.Overloaded, 1)
		time.Sleep(99 * time.Second)
		l.SetLimit(5)
		synctest.Wait()
		l.Release()
	})
	defer func() {
		b.End(sweetspot.Ignored, 1)
		l.Release()
		runtime.KeepAlive(l)
	}()
	c := promsweetspot.NewCollector()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	if n, err := testutil.GatherAndCount(registry); err != nil || n != 4+3+10+1+1 {
		t.Errorf("%d metrics, %v: want 19", n, err)
	}
	err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP sweetspot_limit Units of work that may be in flight.
# TYPE sweetspot_limit gauge
sweetspot_limit{limiter="prom"} 5
# HELP sweetspot_in_flight Units of work that are in flight.
# TYPE sweetspot_in_flight gauge
sweetspot_in_flight{limiter="prom"} 2
# HELP sweetspot_waiting Units of work that wait for a permit.
# TYPE sweetspot_waiting gauge
sweetspot_waiting{limiter="prom"} 0
# HELP sweetspot_manual 1 while the limit is set manually, 0 while the law decides.
# TYPE sweetspot_manual gauge
sweetspot_manual{limiter="prom"} 1
# HELP sweetspot_units_total Units of work that ended, by their outcome.
# TYPE sweetspot_units_total counter
sweetspot_units_total{limiter="prom",outcome="done"} 1
sweetspot_units_total{limiter="prom",outcome="ignored"} 0
sweetspot_units_total{limiter="prom",outcome="overloaded"} 1
# HELP sweetspot_decisions_total Decisions on the limit, by their reason, including decisions to stay.
# TYPE sweetspot_decisions_total counter
sweetspot_decisions_total{limiter="prom",reason="applimited"} 0
sweetspot_decisions_total{limiter="prom",reason="changed"} 0
sweetspot_decisions_total{limiter="prom",reason="grow"} 0
sweetspot_decisions_total{limiter="prom",reason="manual"} 1
sweetspot_decisions_total{limiter="prom",reason="overloaded"} 0
sweetspot_decisions_total{limiter="prom",reason="probe"} 0
sweetspot_decisions_total{limiter="prom",reason="shrink"} 0
sweetspot_decisions_total{limiter="prom",reason="start"} 0
sweetspot_decisions_total{limiter="prom",reason="stay"} 0
sweetspot_decisions_total{limiter="prom",reason="vetoed"} 0
# HELP sweetspot_wait_time_seconds How long units waited for a permit, of those that had to wait.
# TYPE sweetspot_wait_time_seconds histogram
sweetspot_wait_time_seconds_bucket{limiter="prom",le="6.4e-05"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.000128"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.000256"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.000512"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.001024"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.002048"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.004096"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.008192"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.016384"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.032768"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.065536"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.131072"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.262144"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="0.524288"} 0
sweetspot_wait_time_seconds_bucket{limiter="prom",le="1.048576"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="2.097152"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="4.194304"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="8.388608"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="16.777216"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="33.554432"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="67.108864"} 1
sweetspot_wait_time_seconds_bucket{limiter="prom",le="+Inf"} 2
sweetspot_wait_time_seconds_sum{limiter="prom"} 101
sweetspot_wait_time_seconds_count{limiter="prom"} 2
`), "sweetspot_limit", "sweetspot_in_flight", "sweetspot_waiting", "sweetspot_manual",
		"sweetspot_units_total", "sweetspot_decisions_total", "sweetspot_wait_time_seconds")
	if err != nil {
		t.Error(err)
	}
	// 100 s with work, as the governor saw them: its virtual ticks are some 10 ms.
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "sweetspot_active_time_seconds_total" {
			if v := f.GetMetric()[0].GetCounter().GetValue(); v < 99 || v > 100 {
				t.Errorf("active for %v s, want about 100", v)
			}
		}
	}
	if err := registry.Register(promsweetspot.NewCollector()); err == nil {
		t.Error("a registry took two collectors")
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
