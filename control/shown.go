package control

// A shown is what a wrapped law is shown: the readings without the stretches that are hidden
// from it, so that each follows the one before without a gap.
type shown struct {
	last, gap Reading     // the last one, and totals of the hidden stretches
	times     *shownTimes // nil: the law asks for none
}

// shownTimes are copies, because Latencies changes with the next reading.
type shownTimes struct{ last, gap Histogram }

// hide takes a reading that the law is not shown.
func (s *shown) hide(r Reading) {
	s.gap = r.less(s.last)
	if r.Latencies != nil {
		t := s.copies()
		t.gap = r.Latencies.Sub(&t.last)
	}
}

// show takes one that it is shown, and makes it last.
func (s *shown) show(r Reading) {
	s.last = r.less(s.gap)
	if r.Latencies != nil {
		t := s.copies()
		t.last = r.Latencies.Sub(&t.gap)
		s.last.Latencies = &t.last
	}
}

func (s *shown) copies() *shownTimes {
	if s.times == nil {
		s.times = new(shownTimes)
	}
	return s.times
}

// less returns r with the totals of by taken off.
func (r Reading) less(by Reading) Reading {
	r.At, r.Bound, r.Others = r.At-by.At, r.Bound-by.Bound, r.Others.Minus(by.Others)
	r.Completed, r.Units, r.Ignored = r.Completed-by.Completed, r.Units-by.Units, r.Ignored-by.Ignored
	r.Overloads, r.Late = r.Overloads-by.Overloads, r.Late-by.Late
	r.Timed, r.Residence, r.Residence2 = r.Timed-by.Timed, r.Residence-by.Residence, r.Residence2-by.Residence2
	r.Occupancy, r.Runnable, r.Collections = r.Occupancy-by.Occupancy, r.Runnable-by.Runnable, r.Collections-by.Collections
	r.OwnCPU, r.MachineCPU = r.OwnCPU-by.OwnCPU, r.MachineCPU-by.MachineCPU
	return r
}
