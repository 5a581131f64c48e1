package kedascale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"github.com/sweetspot-go/sweetspot/control"
)

const (
	// step stands for the 15 s of a step of the published arrivals.
	step  = time.Second
	speed = int(15 * time.Second / step)
	// perStep is what a worker does in a step; 1,000 there.
	perStep = 20
	// steps is how long each rate lasts; 100 there.
	steps = 20
)

// BenchmarkProcesses replays the published arrivals to worker processes, fifteen times
// faster and with a fiftieth of the requests, scaled by KEDA with a Server, and by the
// law of the pod autoscaler on utilisation:
//
//	go test -run '^$' -bench Processes -benchtime 1x -timeout 20m
func BenchmarkProcesses(b *testing.B) {
	for _, starts := range []int{1, 6} {
		o := order{Startup: time.Duration(starts) * step, Fixed: 1}
		b.Run(fmt.Sprintf("published%d/sweetspot", starts), func(b *testing.B) {
			for b.Loop() {
				replay(b, o, func(bed *bed, workers *deployment) func(context.Context) error {
					k := &keda{
						scaler:  bed.dial(step / 2),
						ref:     &pb.ScaledObjectRef{Name: "billing", ScalerMetadata: map[string]string{"stream": "orders", "consumer": "billing"}},
						workers: workers, pods: podAutoscaler{min: 1, max: 100}, speed: speed,
						sync: step, polling: 2 * step, cooldown: 20 * step,
					}
					return k.run
				})
			}
		})
		for _, target := range []float64{0.7, 0.75, 0.8} {
			b.Run(fmt.Sprintf("published%d/utilisation-%v", starts, target), func(b *testing.B) {
				for b.Loop() {
					replay(b, o, func(bed *bed, workers *deployment) func(context.Context) error {
						return (&threshold{bed, workers, control.NewHPA(target)}).run
					})
				}
			})
		}
	}
}

// replay lets a law scale workers, beginning with one.
func replay(b *testing.B, o order, law func(*bed, *deployment) func(context.Context) error) {
	bed := newBed(b)
	o.URL = bed.nc.ConnectedUrl()
	workers := newDeployment(b, o)
	workers.scale(1)
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	run := law(bed, workers)
	go func() { ended <- run(ctx) }()
	draws := rand.New(rand.NewPCG(1, 1))
	next, sent := time.Now(), 0
	for _, rate := range []float64{20, 5000, 10_000, 15_000, 10_000} { // a step, as published
		rate *= perStep / 1000.0 / step.Seconds()
		for end := time.Now().Add(steps * step); ; {
			wait := time.Duration(draws.ExpFloat64() / rate * float64(time.Second))
			if next = next.Add(wait); next.After(end) {
				next = end
				break
			}
			time.Sleep(time.Until(next))
			bed.push(time.Duration(draws.ExpFloat64() / perStep * float64(step)))
			sent++
		}
	}
	cost := workers.replicaSeconds()
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(step / 10) {
		if n, _, _ := bed.done(); n == sent {
			break
		}
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	n, times, waited := bed.done()
	if n != sent || times != sent {
		b.Errorf("%d of %d messages handled, %d times", n, sent, times)
	}
	b.ReportMetric(waited.Seconds()/float64(n)*float64(speed), "s-waiting") // in time as published
	b.ReportMetric(cost*float64(speed), "replica-s")
	b.ReportMetric(float64(sent), "messages")
}

// A threshold is the pod autoscaler on the utilisation of the workers.
type threshold struct {
	bed     *bed
	workers *deployment
	law     control.Scaler
}

func (h *threshold) run(ctx context.Context) error {
	known := map[string]float64{}
	r := control.ReplicaReading{Min: 1, Max: 100}
	began, last, before := time.Now(), time.Now(), 0
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		workers, err := natslimit.Workers(ctx, h.bed.nc, "orders", "billing")
		if err != nil {
			return ended(ctx, err)
		}
		now := time.Now()
		r.At = now.Sub(began) * time.Duration(speed)
		for _, w := range workers {
			r.Busy += w.Occupancy - known[w.Name]
			known[w.Name] = w.Occupancy
		}
		want, _ := h.workers.replicas()
		r.Ready = min(len(workers), want)
		r.Starting = want - r.Ready
		r.Capacity += float64(before+len(workers)) / 2 * now.Sub(last).Seconds()
		last, before = now, len(workers)
		h.workers.scale(h.law.Next(r).Replicas)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
