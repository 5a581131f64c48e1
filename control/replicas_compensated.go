package control

import (
	"fmt"
	"math"
)

// Compensated is the autoscaler that Yusuke Miyake published after the talk that
// introduced [Step] and [DynamicTarget]. The talk's last page names auto-scaling as the
// next subject. At each step, with λ requests arrived in it, the number is
//
//	s = (λ + Σ max(0, λ - μ·s_i)) / (ρ·μ), rounded, at least 1
//
// over the decisions s_i of the last steps in and out, the delays of the measurement
// and of the start of a replica. What could not be served under older decisions is
// added to what arrives. The sum over in and that over out overlap, as published. μ is
// the mean over all steps of the greater of completions per replica and the inverse of
// the mean response time.
//
// It counts in steps: the readings must come at even intervals. The delays must be
// known and are not learnt; a wrong early estimate of μ fades only with the number of
// steps.
//
// Source: https://github.com/monochromegane/kaburaya-autoscaler at 6928099 (2019),
// controller.go. The published law scales down without any delay.
type Compensated struct {
	utilisation float64
	in, out     []float64 // decisions of the last steps, the oldest first
	steps       float64
	mu          float64 // completions of a replica in a step
	begun       bool
	last        ReplicaReading
}

// NewCompensated returns the law with a utilisation, above 0 and at most 1 (0.7 as
// published), and the two delays in steps: 1 for a measurement that describes the step
// before, and the steps in which a replica starts. It panics if the utilisation is
// outside or a delay is negative.
func NewCompensated(utilisation float64, in, out int) *Compensated {
	if !(utilisation > 0 && utilisation <= 1) || in < 0 || out < 0 {
		panic(fmt.Sprintf("control: NewCompensated(%v, %d, %d): want a utilisation above 0 and at most 1, and delays of 0 steps or more", utilisation, in, out))
	}
	return &Compensated{utilisation: utilisation, in: make([]float64, in), out: make([]float64, out)}
}

// Next decides from the step since the last reading. A step in which nothing
// was completed decides for one replica, as published.
func (c *Compensated) Next(r ReplicaReading) ReplicaDecision {
	last := c.last
	c.last = r
	if !c.begun {
		c.begun = true
		return r.begin()
	}
	if !r.follows(last) {
		return r.scale(r.Replicas(), "")
	}
	seconds := (r.At - last.At).Seconds()
	done := float64(r.Completed - last.Completed)
	capacity, response := r.Capacity-last.Capacity, r.Response-last.Response
	if done <= 0 || capacity <= 0 || response <= 0 {
		return r.scale(1, "no request was completed")
	}
	arrived := float64(r.Arrived - last.Arrived)
	mu := max(done*seconds/capacity, seconds*done/response)
	c.mu += (mu - c.mu) / (c.steps + 1)
	c.steps++
	demand := arrived
	for _, decisions := range [][]float64{c.in, c.out} {
		for _, s := range decisions {
			demand += max(0, arrived-c.mu*s)
		}
	}
	s := max(1, math.Round(min(demand/(c.utilisation*c.mu), math.MaxInt32)))
	shift(c.in, s)
	shift(c.out, s)
	return r.scale(int(s), fmt.Sprintf("%.4g arrived in this step; %.4g could not be served", arrived, demand-arrived))
}

// shift drops the oldest decision and appends the newest.
func shift(decisions []float64, s float64) {
	if n := len(decisions); n > 0 {
		copy(decisions, decisions[1:])
		decisions[n-1] = s
	}
}
