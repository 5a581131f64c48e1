package meter_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/meter"
	"github.com/sweetspot-go/sweetspot/control"
)

func find(rows []meter.Row, name string) meter.Row {
	if i := slices.IndexFunc(rows, func(r meter.Row) bool { return r.Name == name }); i >= 0 {
		return rows[i]
	}
	return meter.Row{}
}

// collect collects garbage until done, or until that is hopeless: a Limiter is none
// before its last tick is over.
func collect(done func() bool) {
	for i := 0; i < 10_000 && !done(); i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// alone waits until the Limiters of other tests are gone.
func alone() { collect(func() bool { return len(sweetspot.Limiters()) == 0 }) }

// TestRow: a row says what its Limiter says.
func TestRow(t *testing.T) {
	alone()
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(sweetspot.Name("meter row"), sweetspot.Start(2)), 2)
		a, _ := l.Begin(t.Context())
		b, _ := l.Begin(t.Context())
		go l.Acquire(t.Context())
		time.Sleep(time.Second)
		l.SetLimit(3)
		synctest.Wait()
		l.Release()
		a.End(sweetspot.Ignored, 1)
		b.End(sweetspot.Overloaded, 1)
		l.TryAcquire()
		var m meter.Meter
		r := find(m.Read(), "meter row")
		l.Release()
		if r.Limit != 3 || r.InFlight != 1 || r.Waiting != 0 || r.Manual != 1 {
			t.Errorf("limit %d, %d in flight, %d waiting, %d manual: want 3, 1, 0, 1", r.Limit, r.InFlight, r.Waiting, r.Manual)
		}
		if r.Done != 1 || r.Ignored != 1 || r.Overloaded != 1 || r.Decisions[control.Manual] != 1 {
			t.Errorf("%d done, %d ignored, %d overloaded, %d manual: want 1 each", r.Done, r.Ignored, r.Overloaded, r.Decisions[control.Manual])
		}
		if r.Waits.Count() != 1 || r.Waits.Sum != 1 || r.Active < 0.9 {
			t.Errorf("%d waits of %v s, active for %v s: want 1, 1 and about 1", r.Waits.Count(), r.Waits.Sum, r.Active)
		}
		// 1 s lies between 64 µs · 2^13 and · 2^14.
		for i, n := range r.Buckets() {
			if want := i == 14; (n == 1) != want || n > 1 {
				t.Errorf("bucket %d has %d waits", i, n)
			}
		}
	})
}

// TestTotalsOnlyGrow: Limiters that share a name are one row, and what those that
// are gone did remains in it.
func TestTotalsOnlyGrow(t *testing.T) {
	alone()
	const name = "meter totals"
	var m meter.Meter
	work := func(units int) *sweetspot.Limiter {
		l := setTo(sweetspot.New(sweetspot.Name(name)), 4)
		for range units {
			l.TryAcquire()
			l.Release()
		}
		return l
	}
	stays := work(10)
	func() {
		gone := work(1000)
		if r := find(m.Read(), name); r.Done != 1010 || r.Limit != 8 {
			t.Errorf("%d done with a limit of %d: want 1010 and 8", r.Done, r.Limit)
		}
		runtime.KeepAlive(gone)
	}()
	collect(func() bool { return find(m.Read(), name).Limit == 4 })
	for range 2 {
		if r := find(m.Read(), name); r.Done != 1010 || r.Limit != 4 {
			t.Errorf("afterwards %d done with a limit of %d: want 1010 and 4", r.Done, r.Limit)
		}
	}
	runtime.KeepAlive(stays)
}

// TestNames: names without end have an end, and bytes that are no text are none.
func TestNames(t *testing.T) {
	alone()
	var m meter.Meter
	var all []*sweetspot.Limiter
	for i := range 3 * meter.MaxNames {
		l := setTo(sweetspot.New(sweetspot.Name(fmt.Sprintf("meter \xff %d", i))), 1)
		l.TryAcquire()
		l.Release()
		all = append(all, l)
	}
	rows := m.Read()
	if len(rows) != meter.MaxNames+1 {
		t.Errorf("%d rows, want %d", len(rows), meter.MaxNames+1)
	}
	var done int64
	for _, r := range rows {
		if !utf8.ValidString(r.Name) {
			t.Errorf("row %q", r.Name)
		}
		if strings.HasPrefix(r.Name, "meter \uFFFD ") || r.Name == meter.Other {
			done += r.Done
		}
	}
	if done < int64(len(all)) {
		t.Errorf("%d units in all rows, want %d", done, len(all))
	}
	if !slices.IsSortedFunc(rows, func(a, b meter.Row) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the rows are not in order")
	}
	runtime.KeepAlive(all)
}

func TestConcurrent(t *testing.T) {
	alone()
	l := sweetspot.New(sweetspot.Name("meter concurrent"))
	var m meter.Meter
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			last := int64(0)
			for range 100 {
				if l.TryAcquire() { // there may be fewer CPUs than goroutines
					l.Release()
				}
				r := find(m.Read(), "meter concurrent")
				if r.Done < last {
					t.Errorf("%d done after %d", r.Done, last)
				}
				last = r.Done
			}
		})
	}
	wg.Wait()
}

func TestNamesOfMetrics(t *testing.T) {
	var got []string
	for _, m := range meter.Metrics {
		got = append(got, m.Prometheus())
	}
	got = append(got, meter.PrometheusName(meter.WaitTime.Name, meter.WaitTime.Unit))
	want := []string{
		"sweetspot_limit", "sweetspot_in_flight", "sweetspot_waiting", "sweetspot_manual",
		"sweetspot_units_total", "sweetspot_decisions_total", "sweetspot_active_time_seconds_total",
		"sweetspot_wait_time_seconds",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBuckets: each wait is in the bucket whose bounds enclose it.
func TestBuckets(t *testing.T) {
	bounds := meter.Bounds()
	for _, s := range []float64{0, 1e-6, 64e-6, 65e-6, 128e-6, 129e-6, 0.01, 1, 67, 68, 1e9} {
		var tot meter.Totals
		tot.Waits.Add(s)
		counts := tot.Buckets()
		if len(counts) != len(bounds)+1 {
			t.Fatalf("%d buckets with %d bounds", len(counts), len(bounds))
		}
		i := slices.Index(counts, 1)
		if i < len(bounds) && s > bounds[i]*(1+1e-9) || i > 0 && s <= bounds[i-1]*(1-1e-9) {
			t.Errorf("%v s is in bucket %d of %v", s, i, bounds)
		}
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
