package temporallimit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	temporallimit "github.com/sweetspot-go/sweetspot/contrib/temporal"
	"go.temporal.io/sdk/worker"
)

// A backend serves a number of calls at a time; the others wait for it.
type backend struct {
	servers chan struct{}
	mu      sync.Mutex
	calls   []call
}

type call struct{ at, took time.Duration }

const (
	serverCount = 8
	serviceTime = 20 * time.Millisecond
)

// serve makes a call, and notes when it ended, since began, and how long it took.
func (k *backend) serve(began time.Time) {
	came := time.Now()
	k.servers <- struct{}{}
	time.Sleep(serviceTime)
	<-k.servers
	k.mu.Lock()
	k.calls = append(k.calls, call{time.Since(began), time.Since(came)})
	k.mu.Unlock()
}

// stats returns the calls per second in a stretch of time, and the 99th percentile
// of how long they took.
func (k *backend) stats(from, to time.Duration) (rate float64, p99 time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var took []time.Duration
	for _, c := range k.calls {
		if c.at >= from && c.at < to {
			took = append(took, c.took)
		}
	}
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	return float64(len(took)) / (to - from).Seconds(), took[len(took)*99/100]
}

// A machine at rest, for the SDK's resource tuner.
type machine struct{}

func (machine) MemoryUsage(*worker.SysInfoContext) (float64, error) { return 0.15, nil }

//lint:ignore ST1003 the SDK names it so
func (machine) CpuUsage(*worker.SysInfoContext) (float64, error) { return 0.1, nil }

// BenchmarkBackend runs activities that call a backend of 400 calls/s, of 20 ms each,
// with a Limiter, with fixed numbers of slots, and with the SDK's resource tuner. Each
// works for 12 s, of which the last 6 are compared, in as many rounds as b.N says: the
// medians are told.
func BenchmarkBackend(b *testing.B) {
	const start, end = 6 * time.Second, 12 * time.Second
	type result struct{ startRate, rate, p99 []float64 }
	contenders := []struct {
		name  string
		tuner func() worker.Options
	}{{"a Limiter", func() worker.Options {
		return (&temporallimit.Tuner{Activities: sweetspot.New()}).Tune(worker.Options{})
	}}, {"the resource tuner", func() worker.Options {
		t, err := worker.NewResourceBasedTuner(worker.ResourceBasedTunerOptions{TargetMem: 0.8, TargetCpu: 0.9, InfoSupplier: machine{}})
		if err != nil {
			b.Fatal(err)
		}
		return worker.Options{Tuner: t}
	}}}
	for _, n := range []int{4, 6, 8, 10, 12, 16, 24, 1000} {
		contenders = append(contenders, contenders[0])
		contenders[len(contenders)-1].name = fmt.Sprintf("%d slots", n)
		contenders[len(contenders)-1].tuner = func() worker.Options {
			return worker.Options{MaxConcurrentActivityExecutionSize: n}
		}
	}
	results := make([]result, len(contenders))
	for range b.N {
		for i, c := range contenders {
			k := &backend{servers: make(chan struct{}, serverCount)}
			f, client := serve(b)
			for n := range 10_000 {
				f.push(b, n, "Activity", n)
			}
			o := c.tuner()
			o.MaxConcurrentActivityTaskPollers = 5
			began := time.Now()
			stop := work(b, client, "queue", o, func(context.Context, int) error {
				k.serve(began)
				return nil
			})
			time.Sleep(end)
			for len(f.tasks) > 0 {
				<-f.tasks
			}
			stop()
			r := &results[i]
			rate, _ := k.stats(0, start)
			r.startRate = append(r.startRate, rate)
			rate, p99 := k.stats(start, end)
			r.rate, r.p99 = append(r.rate, rate), append(r.p99, p99.Seconds()*1e3)
		}
	}
	// The best fixed size is the one with the least latency of those whose rate is
	// within 1 % of the highest.
	highest := 0.0
	for _, r := range results[2:] {
		highest = max(highest, median(r.rate))
	}
	best := -1
	table := new(strings.Builder)
	fmt.Fprintf(table, "\n%-20s %12s %8s %9s\n", "", "first 6 s", "after", "p99")
	for i, c := range contenders {
		r := &results[i]
		fmt.Fprintf(table, "%-20s %10.0f/s %6.0f/s %6.1f ms\n", c.name, median(r.startRate), median(r.rate), median(r.p99))
		if i >= 2 && median(r.rate) >= 0.99*highest && (best < 0 || median(r.p99) < median(results[best].p99)) {
			best = i
		}
	}
	b.Log(table)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(results[0].rate)/median(results[best].rate), "rate/best")
	b.ReportMetric(median(results[0].p99)/median(results[best].p99), "p99/best")
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
