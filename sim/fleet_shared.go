package sim

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A sharedLimit is the elected worker of a fleet at work, as natslimit has it: it
// asks all workers what they have measured, and the law for the limit.
type sharedLimit struct {
	law     control.Controller
	limit   int
	epoch   int32 // how often it has changed
	next    float64
	ask     time.Duration
	r       control.Reading
	changes []Change
}

const (
	leaderTick = 0.04   // the time between two readings, s ...
	perWorker  = 100e-6 // ... and at least this much for each worker: natslimit's
)

// done takes down a job.
func (s *sharedLimit) done(t float64, epoch int32) {
	s.r.Completed++
	s.r.Residence += t
	s.r.Residence2 += t * t
	if epoch == s.epoch {
		s.r.TimedSince++
		s.r.ResidenceSince += t
	}
}

// pass brings the integrals up to date.
func (s *sharedLimit) pass(dt float64, q *fleetQueue) {
	s.r.Occupancy += dt * float64(q.pending)
	if s.heldBack(q) {
		s.r.Bound += dt
	}
}

// heldBack reports whether workers wait for jobs that only the limit keeps from them.
func (s *sharedLimit) heldBack(q *fleetQueue) bool {
	return q.line.n > 0 && q.left > 0 && q.pending >= s.limit
}

// lead takes one reading and puts the law's answer in force.
func (r *fleetRun) lead() {
	s := &r.shared
	n := r.fleet.Workers
	// A question that the server passes on to all workers, and their answers, to it
	// and on to the elected one; the consumer's state.
	r.serve(4*n+4, 0)
	q, c := &r.queue, &s.r
	c.At = time.Duration(math.Round(r.now * 1e9))
	c.Limit, c.Min, c.Max = s.limit, 1, MaxLimit
	c.InFlight, c.Waiting = q.pending, 0
	if s.heldBack(q) {
		c.Waiting = q.line.n
	}
	c.Units, c.Timed = float64(c.Completed), c.Completed
	c.CPUs = float64(n * r.fleet.CPUs) // what is looked for is not on them
	step := max(leaderTick, float64(n)*perWorker)
	if c.At >= s.ask {
		d := s.law.Next(*c)
		s.ask = c.At + min(max(d.After, 0), math.MaxInt64-c.At)
		if d.Soon {
			step /= 2
		}
		r.decide(d)
	}
	s.next = r.now + step
}

// decide puts a decision on the shared limit in force.
func (r *fleetRun) decide(d control.Decision) {
	s := &r.shared
	to := min(max(d.Limit, 1), MaxLimit)
	if to == s.limit {
		return
	}
	s.changes = append(s.changes, Change{At: r.now, From: s.limit, To: to, Reason: d.Reason})
	s.limit = to
	s.epoch++
	s.r.TimedSince, s.r.ResidenceSince = 0, 0
	r.serve(2, 1)
	r.answerLine()
}
