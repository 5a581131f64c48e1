package kedascale_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/contrib/keda"
	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

// A cluster lets the Server set the replicas of a simulated service, by way of the pod
// autoscaler. It is the service's [control.Scaler].
type cluster struct {
	t      testing.TB
	server *kedascale.Server
	pods   podAutoscaler
	r      control.ReplicaReading
	crew   []natslimit.Worker // one for each replica that was ever there; those at the end are gone
}

func newCluster(t testing.TB, stabilisation time.Duration) *cluster {
	c := &cluster{t: t, pods: podAutoscaler{min: 1, max: sim.MaxReplicas, target: 1, stabilisation: stabilisation}}
	c.server = kedascale.NewSimulated(c.measure)
	c.server.Every = 1 // simulated time passes between any two questions
	return c
}

func (c *cluster) Next(r control.ReplicaReading) control.ReplicaDecision {
	c.work(r)
	a, err := c.server.GetMetrics(c.t.Context(), &pb.GetMetricsRequest{MetricName: "workers", ScaledObjectRef: &pb.ScaledObjectRef{
		Name: "pages", ScalerMetadata: map[string]string{"queue": "pages", "maxReplicaCount": fmt.Sprint(sim.MaxReplicas)},
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	return control.ReplicaDecision{Replicas: c.pods.next(r.At, r.Replicas(), a.MetricValues[0].MetricValueFloat)}
}

// work shares what was done since the last reading among the replicas.
func (c *cluster) work(r control.ReplicaReading) {
	for len(c.crew) < r.Ready {
		c.crew = append(c.crew, natslimit.Worker{Name: fmt.Sprintf("%d of %v", len(c.crew), r.At), Limit: 1})
	}
	c.crew = c.crew[:r.Ready]
	done, held := r.Completed-c.r.Completed, int(r.Arrived-r.Completed)-r.Queued
	for i := range c.crew {
		left := int64(len(c.crew) - i)
		w, n := &c.crew[i], done/left
		done -= n
		w.Ended += n
		w.Occupancy += (r.Busy - c.r.Busy) / float64(len(c.crew))
		w.InFlight = min(1, held)
		held -= w.InFlight
	}
	c.r = r
}

func (c *cluster) measure() (*jetstream.ConsumerInfo, []natslimit.Worker) {
	info := &jetstream.ConsumerInfo{TimeStamp: time.Unix(0, 0).Add(c.r.At), NumPending: uint64(c.r.Queued), NumAckPending: int(c.r.Arrived-c.r.Completed) - c.r.Queued}
	info.Delivered.Consumer = uint64(c.r.Arrived) - info.NumPending
	info.Config.MaxAckPending = -1
	return info, c.crew
}

// lag is KEDA's own scaler for JetStream: what waits and what is not acknowledged, with
// so much for each replica.
type lag struct{ podAutoscaler }

func (l *lag) Next(r control.ReplicaReading) control.ReplicaDecision {
	return control.ReplicaDecision{Replicas: l.next(r.At, r.Replicas(), float64(r.Arrived-r.Completed))}
}

func newLag(target float64, most int) *lag {
	return &lag{podAutoscaler{min: 1, max: most, target: target, stabilisation: defaultStabilisation}}
}

// published returns the services with the arrivals of the author's autoscaler, each rate
// for so many steps instead of 100.
func published(steps float64) (all []sim.Service) {
	for _, s := range sim.Services()[:2] {
		s.Seconds *= steps / 100
		for i := range s.Load {
			s.Load[i].From *= steps / 100
		}
		all = append(all, s)
	}
	return all
}

func autoscale(t testing.TB, s sim.Service, seed uint64, law control.Scaler) *sim.ScaleResult {
	t.Helper()
	r, err := sim.Autoscale(s, seed, law)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPublishedArrivals wants requests to wait at most half as long as under the threshold
// autoscaler that costs as much, with the author's arrivals and both delays of a start.
func TestPublishedArrivals(t *testing.T) {
	rerun.Skip(t)
	for _, s := range published(20) {
		ours := autoscale(t, s, 1, newCluster(t, 0))
		var costs, waits []float64
		for _, target := range []float64{0.9, 0.8, 0.7, 0.6} {
			r := autoscale(t, s, 1, control.NewHPA(target))
			costs, waits = append(costs, r.ReplicaSeconds), append(waits, r.Mean)
		}
		threshold := between(costs, waits, ours.ReplicaSeconds)
		if !(ours.Mean <= threshold/2) {
			t.Errorf("%s: %.3g s of waiting for %.5g replica-seconds; a threshold has %.3g s for that (%v for %v)",
				s.Name, ours.Mean, ours.ReplicaSeconds, threshold, waits, costs)
		}
	}
}

// between returns the y that belongs to x on the line through points with increasing x;
// NaN outside of them.
func between(xs, ys []float64, x float64) float64 {
	for i := range len(xs) - 1 {
		if xs[i] <= x && x <= xs[i+1] {
			return ys[i] + (ys[i+1]-ys[i])*(x-xs[i])/(xs[i+1]-xs[i])
		}
	}
	return math.NaN()
}

// BenchmarkPublished measures each law with the arrivals at full length:
//
//	go test -run '^$' -bench Published -benchtime 1x
func BenchmarkPublished(b *testing.B) {
	type law struct {
		name string
		new  func() control.Scaler
	}
	laws := []law{
		{"sweetspot", func() control.Scaler { return newCluster(b, 0) }},
		{"sweetspot-300s", func() control.Scaler { return newCluster(b, defaultStabilisation) }},
	}
	for _, target := range []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.9} {
		laws = append(laws, law{fmt.Sprint("utilisation-", target), func() control.Scaler { return control.NewHPA(target) }})
	}
	for _, target := range []float64{0.7, 0.8, 1, 2, 10} {
		for _, most := range []int{30, 100} {
			laws = append(laws, law{fmt.Sprintf("lag-%v-max-%d", target, most), func() control.Scaler { return newLag(target, most) }})
		}
	}
	for _, s := range published(100) {
		for _, l := range laws {
			b.Run(s.Name+"/"+l.name, func(b *testing.B) {
				for b.Loop() {
					r := autoscale(b, s, 1, l.new())
					b.ReportMetric(r.Mean, "s-waiting")
					b.ReportMetric(r.ReplicaSeconds, "replica-s")
					b.ReportMetric(float64(r.Peak), "peak")
				}
			})
		}
	}
}
