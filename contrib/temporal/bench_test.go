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
	running int
	took    []time.Duration // since the last measurement began
}

const (
	serverCount = 8
	serviceTime = 20 * time.Millisecond
)

// call makes a call, and notes how long it took.
func (k *backend) call(context.Context, int) error {
	k.mu.Lock()
	k.running++
	k.mu.Unlock()
	came := time.Now()
	k.servers <- struct{}{}
	time.Sleep(serviceTime)
	<-k.servers
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running--
	k.took = append(k.took, time.Since(came))
	return nil
}

// begin begins a measurement, and returns how many run.
func (k *backend) begin() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.took = nil
	return k.running
}

// A contender is a worker with a backend of its own, and what was measured of it.
type contender struct {
	name    string
	options worker.Options
	backend backend
	f       *frontend

	rates []float64 // of each turn
	p99s  []float64 // of each turn, ms
}

// slice feeds the worker for a while. What it does once it is up to speed is
// measured, if that is wanted.
func (c *contender) slice(b *testing.B, measure bool) {
	const speedUp, length = 300 * time.Millisecond, 2 * time.Second
	var begun time.Time
	for fed := time.Now(); time.Since(fed) < length; time.Sleep(5 * time.Millisecond) {
		for n := len(c.f.tasks); n < 200; n++ {
			c.f.push(b, n, "Activity", n)
		}
		if begun.IsZero() && time.Since(fed) > speedUp {
			c.backend.begin()
			begun = time.Now()
		}
	}
	c.backend.mu.Lock()
	took := slices.Clone(c.backend.took)
	c.backend.mu.Unlock()
	if measure {
		c.rates = append(c.rates, float64(len(took))/time.Since(begun).Seconds())
		slices.Sort(took)
		c.p99s = append(c.p99s, took[len(took)*99/100].Seconds()*1e3)
	}
	for len(c.f.tasks) > 0 {
		select {
		case <-c.f.tasks:
		default:
		}
	}
	for c.backend.begin() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

func (c *contender) rate() float64 { return median(c.rates) }
func (c *contender) p99() float64  { return median(c.p99s) }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// A machine at rest, for the SDK's resource tuner.
type machine struct{}

func (machine) MemoryUsage(*worker.SysInfoContext) (float64, error) { return 0.15, nil }

//lint:ignore ST1003 the SDK names it so
func (machine) CpuUsage(*worker.SysInfoContext) (float64, error) { return 0.1, nil }

// BenchmarkBackend runs activities that call a backend of 400 calls/s, of 20 ms each,
// with a Limiter, by two laws, with fixed numbers of slots, and with the SDK's resource
// tuner. They take turns of 2 s, so that all of them meet whatever else the machine
// does, in as many rounds as b.N says. The Limiters have 3 turns before, to learn in.
// The medians of the turns are told.
func BenchmarkBackend(b *testing.B) {
	const learning = 3
	resource, err := worker.NewResourceBasedTuner(worker.ResourceBasedTunerOptions{TargetMem: 0.8, TargetCpu: 0.9, InfoSupplier: machine{}})
	if err != nil {
		b.Fatal(err)
	}
	contenders := []*contender{
		{name: "the Tuner", options: new(temporallimit.Tuner).Tune(worker.Options{})},
		{name: "by Search", options: (&temporallimit.Tuner{Activities: sweetspot.New()}).Tune(worker.Options{})},
		{name: "the resource tuner", options: worker.Options{Tuner: resource}},
	}
	for _, n := range []int{4, 6, 8, 10, 12, 16, 24, 1000} {
		contenders = append(contenders, &contender{name: fmt.Sprintf("%d slots", n), options: worker.Options{MaxConcurrentActivityExecutionSize: n}})
	}
	for _, c := range contenders {
		c.backend.servers = make(chan struct{}, serverCount)
		f, client := serve(b)
		c.f, c.options.MaxConcurrentActivityTaskPollers = f, 5
		work(b, client, "queue", c.options, c.backend.call)
	}
	for range learning {
		contenders[0].slice(b, false)
		contenders[1].slice(b, false)
	}
	for b.Loop() {
		for _, c := range contenders {
			c.slice(b, true)
		}
	}

	// The best fixed size is the one with the least latency of those whose rate is
	// within 1 % of the highest.
	fixed := contenders[3:]
	highest := 0.0
	for _, c := range fixed {
		highest = max(highest, c.rate())
	}
	var best *contender
	table := new(strings.Builder)
	for _, c := range contenders {
		fmt.Fprintf(table, "\n%-20s %6.0f/s   p99 %6.1f ms", c.name, c.rate(), c.p99())
	}
	for _, c := range fixed {
		if c.rate() >= 0.99*highest && (best == nil || c.p99() < best.p99()) {
			best = c
		}
	}
	b.Logf("%s\nthe best fixed size is %s", table, best.name)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(contenders[0].rate()/best.rate(), "rate/best")
	b.ReportMetric(contenders[0].p99()/best.p99(), "p99/best")
}

// BenchmarkSlot measures what a slot costs from its reservation to its release.
func BenchmarkSlot(b *testing.B) {
	for _, running := range []int{0, 100, 1000} {
		b.Run(fmt.Sprintf("beside %d", running), func(b *testing.B) {
			l := setTo(sweetspot.New(), running+1)
			p := poller{temporallimit.NewSlotSupplier(l), "a"}
			p.Interceptor(false, nil)
			for range running {
				permit, err := p.ReserveSlot(b.Context(), info{queue: "a"})
				if err != nil {
					b.Fatal(err)
				}
				p.mark(permit)
				temporallimit.Execute(p.SlotSupplier, "a", nil)
			}
			b.ReportAllocs()
			for b.Loop() {
				permit, err := p.ReserveSlot(b.Context(), info{queue: "a"})
				if err != nil {
					b.Fatal(err)
				}
				p.mark(permit)
				temporallimit.Execute(p.SlotSupplier, "a", nil)(sweetspot.Done)
				p.release(permit)
			}
		})
	}
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
