package otelsweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/sweetspot-go/sweetspot"
	otelsweetspot "github.com/sweetspot-go/sweetspot/contrib/otel"
)

// series returns all numbers that the reader collects, by name and attributes.
func series(t *testing.T, r *metric.ManualReader) map[string]any {
	t.Helper()
	var rm metricdata.ResourceMetrics
	if err := r.Collect(context.Background(), &rm); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]any)
	key := func(m metricdata.Metrics, s attribute.Set) string {
		var b strings.Builder
		b.WriteString(m.Name + " " + m.Unit)
		for _, kv := range s.ToSlice() {
			fmt.Fprintf(&b, " %s=%s", kv.Key, kv.Value.AsString())
		}
		return b.String()
	}
	for _, sm := range rm.ScopeMetrics {
		if sm.Scope.Name != "github.com/sweetspot-go/sweetspot/contrib/otel" {
			t.Errorf("scope %q", sm.Scope.Name)
		}
		for _, m := range sm.Metrics {
			if m.Description == "" {
				t.Errorf("%s has no description", m.Name)
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					all[key(m, p.Attributes)] = p.Value
				}
			case metricdata.Sum[float64]:
				for _, p := range d.DataPoints {
					all[key(m, p.Attributes)] = p.Value
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					n := uint64(0)
					for _, c := range p.BucketCounts {
						n += c
					}
					if n != p.Count || len(p.BucketCounts) != len(p.Bounds)+1 {
						t.Errorf("%s: %d in %d buckets with %d bounds, count %d", m.Name, n, len(p.BucketCounts), len(p.Bounds), p.Count)
					}
					all[key(m, p.Attributes)] = [2]float64{float64(p.Count), p.Sum}
				}
			default:
				t.Errorf("%s is a %T", m.Name, d)
			}
		}
	}
	return all
}

func TestMetrics(t *testing.T) {
	// Limiters of other tests, and of this one before, leave with the garbage.
	for i := 0; i < 10_000 && len(sweetspot.Limiters()) > 0; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	reader := metric.NewManualReader(metric.WithProducer(otelsweetspot.NewProducer()))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	registration, err := otelsweetspot.Register(provider)
	if err != nil {
		t.Fatal(err)
	}
	if got := series(t, reader); len(got) != 0 {
		t.Errorf("without Limiters: %v", got)
	}

	var l *sweetspot.Limiter
	var a, b sweetspot.Unit
	synctest.Test(t, func(t *testing.T) {
		l = setTo(sweetspot.New(sweetspot.Name("otel"), sweetspot.Start(2)), 2)
		a, _ = l.Begin(t.Context())
		b, _ = l.Begin(t.Context())
		for range 2 {
			go l.Acquire(t.Context())
		}
		time.Sleep(time.Second)
		a.End(sweetspot.Overloaded, 1)
		time.Sleep(time.Second)
		l.SetLimit(5)
		synctest.Wait()
		l.Release()
	})
	defer func() {
		b.End(sweetspot.Ignored, 1)
		l.Release()
		runtime.KeepAlive(l)
	}()
	got := series(t, reader)
	const active = "sweetspot.active_time s limiter=otel"
	if v, ok := got[active].(float64); !ok || v < 1.9 || v > 2 {
		t.Errorf("active for %v s, want about 2", got[active])
	}
	delete(got, active)
	want := map[string]any{
		"sweetspot.limit {unit} limiter=otel":                       int64(5),
		"sweetspot.in_flight {unit} limiter=otel":                   int64(2),
		"sweetspot.waiting {unit} limiter=otel":                     int64(0),
		"sweetspot.manual {limiter} limiter=otel":                   int64(1),
		"sweetspot.units {unit} limiter=otel outcome=done":          int64(1),
		"sweetspot.units {unit} limiter=otel outcome=ignored":       int64(0),
		"sweetspot.units {unit} limiter=otel outcome=overloaded":    int64(1),
		"sweetspot.wait_time s limiter=otel":                        [2]float64{2, 3},
		"sweetspot.decisions {decision} limiter=otel reason=manual": int64(1),
	}
	for _, reason := range []string{"start", "probe", "grow", "shrink", "stay", "applimited", "changed", "overloaded", "vetoed"} {
		want["sweetspot.decisions {decision} limiter=otel reason="+reason] = int64(0)
	}
	if !maps.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		for k, v := range want {
			if got[k] != v {
				t.Errorf("%s: got %v, want %v", k, got[k], v)
			}
		}
	}

	if err := registration.Unregister(); err != nil {
		t.Error(err)
	}
	if got := series(t, reader); len(got) != 1 {
		t.Errorf("after Unregister: %v, want the histogram of the producer alone", got)
	}
}

func TestProduceCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the exporter gave up")
	cancel(cause)
	if _, err := otelsweetspot.NewProducer().Produce(ctx); err != cause {
		t.Errorf("got %v, want the cause", err)
	}
}

func TestMisuse(t *testing.T) {
	defer func() {
		if got := recover(); got != "otelsweetspot: Register(nil): want a MeterProvider, such as otel.GetMeterProvider()" {
			t.Errorf("recovered %v", got)
		}
	}()
	otelsweetspot.Register(nil)
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
