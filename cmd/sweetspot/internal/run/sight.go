package run

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A sight is a law for a list whose end is in sight: it makes no experiment that the jobs that
// are left cannot pay back. An experiment costs some throughput, and how long the list takes from
// then on decides what a better number is worth. Where the whole list is over in seconds,
// that is less than the experiment costs, unless the first ones show that more jobs do more.
//
// Where they sleep, the last jobs start at once.
//
// Until the first job has ended it also takes the wait for memory that this one may need for one
// that a higher limit would end: the law starts quickly then, and what memory allows is asked at
// each start anyway. Otherwise the limit is what is short once memory is not.
type sight struct {
	control.Controller
	left func() (jobs int64, known bool)
	held func() time.Duration // for which jobs have waited for memory

	waited float64 // of that, before the first has ended, s

	home  int             // the limit that stands
	began control.Reading // when it came to stand, or when the newest look at the CPUs ended
	full  bool            // that found that our jobs filled them
	rate  float64         // of jobs per second then
	trial int             // the limit on trial; 0 if none is
	tried control.Reading // when that began
	took  float64         // the newest trial that has ended, s
	lost  bool            // more jobs at a time did no more in it

	last int // the limit that starts all remaining jobs; 0 until finish has chosen it
}

const (
	// worthLost is how many times as long as a trial the list must still take for another one,
	// once one was in vain. A trial costs some 15 % of the throughput while it lasts, and if it
	// wins, which is rare then, brings some 20 %: one in ten pays from 7.5 on.
	worthLost = 8
	// worthFull is that where our jobs fill the CPUs: what more of them bring is a sixth of that.
	worthFull = 50
	// A trial is lost if lostJobs or more of it were less than lostGain times as fast as before.
	lostJobs = 30
	lostGain = 1.2
	// cpuLook is how long CPU use is looked at, the least window of the default law; or for
	// cpuLookPart of the time so far, if that is longer. The CPUs are full below cpuIdle, of ours
	// above cpuOwn: jobs that have not ended are counted late.
	cpuLook     = 100 * time.Millisecond
	cpuLookPart = 10
	cpuIdle     = 0.05
	cpuOwn      = 0.75
	// mostAsleep is the share of the jobs that must sleep for the last ones to start at once.
	mostAsleep = 0.5
)

// Next implements [control.Controller].
func (s *sight) Next(r control.Reading) control.Decision {
	if r.Completed == 0 {
		s.waited = s.held().Seconds()
	}
	r.Bound += s.waited
	if r.Overloads > 0 { // less is needed, whatever is left
		return s.Controller.Next(r)
	}
	if s.home == 0 {
		s.home, s.began = r.Limit, r
	}
	s.look(r)
	if n := s.finish(r); n > 0 {
		d := control.Decision{Limit: n, Experiment: true}
		if s.last == 0 {
			d.Reason = control.Reason{Kind: control.Probe, From: s.home, To: n, Gain: math.NaN(), Note: "the jobs sleep, and these are the last"}
		}
		s.last = n
		return d
	}
	if !s.vain(r) {
		d := s.Controller.Next(r)
		if s.follow(r, d); s.trial > 0 && s.vain(r) {
			return control.Decision{Limit: s.home}
		}
		return d
	}
	if s.trial > 0 {
		s.trial, s.began = 0, r
	}
	n := max(s.home, r.Min)
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	r.Min, r.Max = n, n
	d := s.Controller.Next(r)
	d.Limit, d.Experiment = n, false
	return d
}

func (s *sight) look(r control.Reading) {
	lasts := r.At - s.began.At
	if s.trial > 0 || lasts < max(cpuLook, r.At/cpuLookPart) {
		return
	}
	t := lasts.Seconds() * r.CPUs
	s.full = r.OwnCPU-s.began.OwnCPU > cpuOwn*t && r.MachineCPU-s.began.MachineCPU > (1-cpuIdle)*t
	s.rate = rateOf(s.began, r)
	s.began = r
}

// rateOf returns how many jobs a second were done between two readings.
func rateOf(a, b control.Reading) float64 {
	return float64(b.Completed-a.Completed) / max((b.At-a.At).Seconds(), 1e-3)
}

// vain reports whether no experiment pays any more.
func (s *sight) vain(r control.Reading) bool {
	worth := 0.0
	switch {
	case s.full && s.trial == 0:
		worth = worthFull
	case s.lost:
		worth = worthLost
	}
	left, known := s.left()
	if worth == 0 || !known || r.Completed == 0 || r.Timed == 0 {
		return false
	}
	// A trial takes two or three times as long as a job, and no less than its windows.
	trial := max(s.took, 0.2+2.5*r.Residence/float64(r.Timed))
	return float64(left)/rateOf(control.Reading{}, r) < worth*trial
}

// finish returns the limit that starts all remaining jobs at once. It does so when at most as
// many are waiting as run now, which is what the next step of a climb would start anyway. There
// is no time left to measure whether that pays, and it seldom slows sleeping jobs down. It returns 0
// if more are waiting, if the jobs do not sleep, if one has failed, or if a higher limit has
// brought nothing before.
func (s *sight) finish(r control.Reading) int {
	if s.last > 0 {
		return s.last
	}
	left, known := s.left()
	if !known || r.Completed == 0 || r.Ignored > 0 || r.Asleep < mostAsleep || s.full || s.lost ||
		r.InFlight < r.Limit || left <= int64(r.Limit) || left > 2*int64(r.InFlight) {
		return 0
	}
	n := int(left)
	if r.Max > 0 {
		n = min(n, r.Max)
	}
	return n
}

// follow takes note of what the law has decided.
func (s *sight) follow(r control.Reading, d control.Decision) {
	switch why := d.Reason; why.Kind {
	case control.Probe:
		if s.trial > 0 && why.To > s.trial { // one step above another: that one was in vain
			s.end(r)
		}
		s.trial, s.tried = why.To, r
	case control.Stay:
		s.end(r)
	case control.Grow, control.Shrink:
		if why.To == s.trial {
			s.lost = false
		} else {
			s.end(r)
		}
		s.home, s.trial, s.began = max(why.To, 1), 0, r
	}
}

// end ends the trial under way, if there is one, in vain.
func (s *sight) end(r control.Reading) {
	if s.trial > 0 {
		s.took = (r.At - s.tried.At).Seconds()
		s.lost = r.Completed-s.tried.Completed >= lostJobs && rateOf(s.tried, r) < lostGain*s.rate
		s.trial, s.began = 0, r
	}
}
