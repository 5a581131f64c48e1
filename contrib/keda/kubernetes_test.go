package kedascale_test

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A podAutoscaler is the algorithm of the Horizontal Pod Autoscaler (autoscaling/v2) for an
// external metric with an average value as its target, as documented at
// https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/ with
// its defaults: a tolerance of 0.1; up at once to double, or by four, in 15 s; down to the
// highest number that was recommended in the last 300 s. Asked every 15 s.
type podAutoscaler struct {
	min, max      int
	target        float64
	stabilisation time.Duration // downwards

	recommended []recommendation
	counts      []recommendation
}

type recommendation struct {
	at time.Duration
	n  int
}

const (
	tolerance            = 0.1
	defaultStabilisation = 300 * time.Second
	upPeriod             = 15 * time.Second
	upPods               = 4
)

// next returns the number of replicas from now on, where the metric has a value and there
// are current ones.
func (p *podAutoscaler) next(at time.Duration, current int, value float64) int {
	want := current
	if ratio := value / (p.target * float64(current)); math.Abs(ratio-1) > tolerance {
		want = int(math.Ceil(value/p.target - 1e-9))
	}
	want = min(max(want, p.min, 1), p.max)
	p.recommended = since(p.recommended, at-p.stabilisation)
	p.recommended = append(p.recommended, recommendation{at, want})
	if want < current {
		for _, r := range p.recommended {
			want = max(want, min(r.n, current))
		}
	}
	p.counts = append(since(p.counts, at-upPeriod), recommendation{at, current})
	return min(want, max(2*p.counts[0].n, p.counts[0].n+upPods))
}

// since drops what is not younger than an instant.
func since(list []recommendation, at time.Duration) []recommendation {
	for len(list) > 0 && list[0].at <= at {
		list = list[1:]
	}
	return list
}

// TestPodAutoscaler goes through what the documentation says.
func TestPodAutoscaler(t *testing.T) {
	for _, c := range []struct {
		what    string
		current int
		values  []float64 // of each 15 s, with a target of 10
		want    []int
	}{
		{"within a tenth it stays", 10, []float64{109, 91, 100}, []int{10, 10, 10}},
		{"beyond, it rounds up", 10, []float64{111}, []int{12}},
		{"at most four more, or double, in 15 s", 1, []float64{1000, 1000, 1000, 1000, 1000}, []int{5, 10, 20, 40, 80}},
		{"down to the highest of five minutes", 10, append([]float64{200}, slices.Repeat([]float64{20}, 20)...),
			append(slices.Repeat([]int{20}, 20), 2)},
		{"within its bounds", 50, []float64{5000, 5000}, []int{90, 90}},
	} {
		p := podAutoscaler{min: 1, max: 90, target: 10, stabilisation: defaultStabilisation}
		n := c.current
		for i, value := range c.values {
			if n = p.next(time.Duration(i)*upPeriod, n, value); n != c.want[i] {
				t.Errorf("%s: %d at question %d, want %d", c.what, n, i, c.want[i])
			}
		}
	}
}
