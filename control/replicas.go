package control

import (
	"math"
	"slices"
	"time"
)

// A ReplicaReading describes a service of equal replicas at one instant. The counters
// only grow, as those of [Reading] do, so the difference of two readings describes the
// time between them.
//
// Sources of the figures: every proxy and every server counts Arrived and Completed.
// Busy is the time that the requests spent being served, over the number of requests
// that one replica serves at a time; for work that computes, its CPU seconds over the
// CPUs of one replica. Ready and Starting come from the scheduler of the replicas.
type ReplicaReading struct {
	At time.Duration // time since the loop began

	Ready    int // replicas that serve
	Starting int // replicas that were asked for and do not serve yet
	Min, Max int // bounds in force; 0 means none

	Arrived   int64   // requests
	Completed int64   // requests answered
	Queued    int     // requests waiting for a replica now
	Busy      float64 // integral over time of the replicas at work, s
	Capacity  float64 // integral of Ready over time, s
	Response  float64 // sum of the response times of the completed requests, waiting included, s
}

// Replicas returns the number of replicas requested: serving and starting.
func (r ReplicaReading) Replicas() int { return r.Ready + r.Starting }

// A ReplicaDecision is a law's answer to a ReplicaReading.
type ReplicaDecision struct {
	// Replicas is how many there should be, including those that still start: the
	// replica count of a Kubernetes Deployment, the desired capacity of a group of
	// machines. It is within the reading's bounds and at least 1.
	Replicas int
	// Reason explains the number. Its Kind is None if nothing changes.
	Reason Reason
}

// A Scaler decides how many replicas of a service there should be, as a [Controller]
// decides how many units one process has in flight. The caller, who has a clock, asks
// it at even intervals, usually 15 s, and puts the answer in force:
//
//	d := law.Next(reading)
//	setReplicas(d.Replicas)
//
// It is deterministic, reads no clock, starts nothing and may be dropped at any time.
// It serves one service and is called by one goroutine at a time. The first reading
// only begins the first interval: the number stays. It also stays if counters have
// fallen, as after a restart of what counts them.
type Scaler interface {
	Next(ReplicaReading) ReplicaDecision
}

// scale returns the decision for n replicas, within the bounds, and why.
func (r ReplicaReading) scale(n int, note string) ReplicaDecision {
	n = max(n, r.Min, 1)
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	d := move(r.Replicas(), n, 0, note)
	return ReplicaDecision{Replicas: n, Reason: d.Reason}
}

// follows says whether r can end an interval that began with last: no counter
// fell, time passed, and every figure is one.
func (r ReplicaReading) follows(last ReplicaReading) bool {
	grows := func(x, y float64) bool { return y >= x && !math.IsInf(y, 1) } // false for NaN
	return r.At > last.At && r.Arrived >= last.Arrived && r.Completed >= last.Completed &&
		grows(last.Busy, r.Busy) && grows(last.Capacity, r.Capacity) && grows(last.Response, r.Response)
}

// begin returns the decision on a first reading: what is there stays.
func (r ReplicaReading) begin() ReplicaDecision {
	d := r.scale(r.Replicas(), "")
	d.Reason = Reason{Kind: Start, From: r.Replicas(), To: d.Replicas, Gain: math.NaN()}
	return d
}

// A recommendation is a number that was wanted at some time.
type recommendation struct {
	at       time.Duration
	replicas int
}

// A recommendations is the recent past of a law: what it wanted, and when.
type recommendations []recommendation

// bounds adds the number of now and returns the lowest and the highest within the window.
func (h *recommendations) bounds(now time.Duration, replicas int, window time.Duration) (lowest, highest int) {
	*h = append(slices.DeleteFunc(*h, func(x recommendation) bool { return now-x.at >= window }), recommendation{now, replicas})
	lowest, highest = replicas, replicas
	for _, x := range *h {
		lowest, highest = min(lowest, x.replicas), max(highest, x.replicas)
	}
	return lowest, highest
}
