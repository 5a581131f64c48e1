package control

import (
	"fmt"
	"math"
	"time"
)

// HPA is the threshold autoscaler that most services have: the law of the Kubernetes
// Horizontal Pod Autoscaler (autoscaling/v2) on utilisation, with its defaults.
// [Demand] is compared with it.
//
// The number is the serving replicas times utilisation over target, rounded up; it
// stays while that ratio is within Tolerance of 1. If the ratio asks for more, starting
// replicas count as idle; if that reverses the direction, the number stays. So while
// some start, it waits to see their effect. It goes up at most to double or by four in
// 15 s, whichever is more, and down to the highest number it has wanted within
// Stabilisation.
//
// Source:
// https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
// and, for replicas that are not ready, GetResourceReplicas of
// pkg/controller/podautoscaler in the Kubernetes sources. Kubernetes asks it every 15
// s.
//
// Set the fields before the first call of Next.
type HPA struct {
	Tolerance     float64       // 0.1 by default
	Stabilisation time.Duration // 5 minutes by default

	target float64
	begun  bool
	last   ReplicaReading
	wanted recommendations
	counts recommendations // how many there were, for the pace upwards
}

const (
	hpaTolerance     = 0.1
	hpaStabilisation = 5 * time.Minute
	hpaPace          = 15 * time.Second
)

// NewHPA returns the law with a target utilisation, above 0 and at most 1; it panics
// for others.
func NewHPA(target float64) *HPA {
	if !(target > 0 && target <= 1) {
		panic(fmt.Sprintf("control: NewHPA(%v): want a target utilisation above 0 and at most 1", target))
	}
	return &HPA{Tolerance: hpaTolerance, Stabilisation: hpaStabilisation, target: target}
}

// Next decides from the time since the last reading. While no replica served the
// utilisation is unknown, and the number stays.
func (h *HPA) Next(r ReplicaReading) ReplicaDecision {
	last := h.last
	h.last = r
	if !h.begun {
		h.begun = true
		return r.begin()
	}
	capacity := r.Capacity - last.Capacity
	if !r.follows(last) || capacity <= 0 || r.Ready <= 0 {
		return r.scale(r.Replicas(), "")
	}
	usage := (r.Busy - last.Busy) / capacity
	want := h.replicas(r, usage/h.target)
	_, want = h.wanted.bounds(r.At, want, h.Stabilisation)
	want = min(want, h.pace(r))
	return r.scale(want, fmt.Sprintf("%.0f %% busy, target %.0f %%", 100*usage, 100*h.target))
}

// replicas returns what a ratio of usage to target asks for.
func (h *HPA) replicas(r ReplicaReading, ratio float64) int {
	current := r.Replicas()
	// What float arithmetic leaves over must not cost a replica.
	up := func(x float64) int { return int(math.Ceil(min(x, math.MaxInt32) - 1e-9)) }
	if r.Starting == 0 || ratio <= 1 {
		if math.Abs(ratio-1) <= h.Tolerance {
			return current
		}
		return up(ratio * float64(r.Ready))
	}
	ratio *= float64(r.Ready) / float64(current)
	if ratio <= 1+h.Tolerance {
		return current
	}
	return max(current, up(ratio*float64(current)))
}

// pace returns the highest number allowed now: double what there was 15 s ago,
// or four more.
func (h *HPA) pace(r ReplicaReading) int {
	before, _ := h.counts.bounds(r.At, r.Replicas(), hpaPace)
	return max(2*before, before+4)
}
