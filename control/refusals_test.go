package control_test

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A service serves so many units at a time, in the order of their arrival, and refuses
// some. It has no end of callers: as many units are in flight as the limit allows. Events
// happen in virtual time, with chance.
type service struct {
	servers int           // units served at a time
	each    time.Duration // mean time of service, exponential
	reply   time.Duration // time that a refusal takes; 0: as long as a service
	takes   func(at time.Duration) int
	share   func(inFlight int, at time.Duration) float64 // of the units that end as refused, whatever else holds
	demand  int                                          // callers; 0: no end of them
	quota   float64                                      // units admitted a second, with a bucket of a tenth; 0: no bound
	out     outcome                                      // of every unit, if not served
	see     func(control.Reading, control.Decision)

	r       control.Reading
	rng     *rand.Rand
	free    []float64 // when each server is free
	ends    ends
	inside  int // units that were taken and have not ended
	bucket  float64
	filled  float64
	changed float64 // when the limit changed
}

// An outcome is what becomes of a unit.
type outcome uint8

const (
	served outcome = iota
	refused
	ignored
)

// An end is that of a unit.
type end struct {
	at, begun float64
	outcome   outcome
	inside    bool
}

type ends []end

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i].at < e[j].at }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)        { *e = append(*e, x.(end)) }
func (e *ends) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// run closes the loop until a time, from a limit at the first call. It returns how many
// units were served and refused in this stretch.
func (s *service) run(c control.Controller, limit int, until time.Duration) (done, lost int64) {
	r := &s.r
	if r.Limit == 0 {
		r.Limit, r.Min, r.Max, r.CPUs, r.Waiting = limit, 1, 100_000, 8, 1
		s.rng = rand.New(rand.NewPCG(1, uint64(limit)))
		s.free = make([]float64, s.servers)
		s.bucket = s.quota / 10
	}
	done, lost = r.Completed, r.Overloads
	for r.At < until {
		d := c.Next(*r)
		if s.see != nil {
			s.see(*r, d)
		}
		if n := max(r.Min, 1, min(d.Limit, r.Max)); n != r.Limit {
			r.Limit, r.TimedSince, r.ResidenceSince = n, 0, 0
			s.changed = r.At.Seconds()
		}
		from := r.At.Seconds()
		to := from + fluidTick.Seconds()
		for now := from; ; {
			for len(s.ends) < r.Limit && (s.demand == 0 || len(s.ends) < s.demand) {
				s.begin(now)
			}
			next := min(to, s.ends[0].at)
			r.Occupancy += (next - now) * float64(len(s.ends))
			if now = next; now == to {
				break
			}
			s.end(heap.Pop(&s.ends).(end))
		}
		r.InFlight, r.Waiting = len(s.ends), 1
		r.At += fluidTick
		if s.demand > 0 && s.demand <= r.Limit {
			r.Waiting = 0
		} else {
			r.Bound += to - from
		}
	}
	return r.Completed - done, r.Overloads - lost
}

// begin lets a unit in.
func (s *service) begin(now float64) {
	at := time.Duration(now * float64(time.Second))
	e := end{begun: now}
	if s.quota > 0 {
		s.bucket = min(s.quota/10, s.bucket+(now-s.filled)*s.quota)
		s.filled = now
	}
	each := s.each.Seconds() * s.rng.ExpFloat64()
	turned := s.takes != nil && s.inside >= s.takes(at) || s.quota > 0 && s.bucket < 1
	switch {
	case s.out != served:
		e.outcome = s.out
		turned = true
	case turned:
		e.outcome = refused
	case s.share != nil && s.rng.Float64() < s.share(len(s.ends)+1, at):
		e.outcome = refused
	}
	if turned {
		e.at = now + each
		if s.reply > 0 {
			e.at = now + s.reply.Seconds()*(0.5+s.rng.Float64())
		}
	} else {
		first := 0
		for i := range s.free {
			if s.free[i] < s.free[first] {
				first = i
			}
		}
		e.at = max(now, s.free[first]) + each
		s.free[first], e.inside = e.at, true
		s.inside++
		s.bucket--
	}
	heap.Push(&s.ends, e)
}

func (s *service) end(e end) {
	r := &s.r
	if e.inside {
		s.inside--
	}
	switch e.outcome {
	case refused:
		r.Overloads++
	case served:
		t := e.at - e.begun
		r.Completed++
		r.Units++
		r.Timed++
		r.Residence += t
		r.Residence2 += t * t
		if e.begun >= s.changed {
			r.TimedSince++
			r.ResidenceSince += t
		}
	}
}
