package control

import (
	"math"
	"time"
)

// Search is the default law: it finds the limit with the most throughput and,
// among equals, the fewest units in flight, by experiment.
//
// It measures a window at one limit, then at another, compares the two, and
// moves only on evidence. Six states follow each other:
//
//	start    nothing has completed yet: the CPUs decide
//	ramp     coarse: double while doubling pays, then Little's law names the knee
//	hold     watch windows at the standing limit; look for change
//	trial    fine: the standing limit and a neighbour in turn, A B B A …
//	scout    one look far above the standing limit, for what doubling missed:
//	         where there are idle CPUs, or a heap that is collected too often
//	far      the standing limit and a multiple of it, where CPUs fill slowly
//
// The package's README explains each rule, with its measured worth.
//
// The zero Search is not usable; call [NewSearch].
type Search struct {
	read Reading // the newest
	want int     // the limit asked for
	home int     // the limit that stands: where experiments return to

	meter    meter
	begun    bool
	next     sequel // what the window under way is for; nil: start
	trialing bool   // want is an experiment

	reasons []Reason  // of the newest decisions, until they are handed out
	room    [4]Reason // for the first of them

	model    model    // what is known of the work: residence, dispersion, noise
	others   others   // what is known of other programs
	recent   pool     // the newest windows at home
	watch    detector // of changes, while holding
	patience patience // with alarms
	cliff    cliff
	pairs    *evidence   // of the direction last tried
	sides    [2]evidence // of trials down and up
	due      schedule
	slope    slope
	shed     shed
	brink    brink
	heaps    heaps
	excess   float64 // time in flight beyond home, in units of home, s
	wanted   bool    // an experiment is due but it is another loop's turn
}

// A sequel takes a window for what it was measured for. Where that is a state, it is
// a method expression: a method value would be an allocation for each window.
type sequel func(s *Search, w window)

// NewSearch returns the default law. It begins at the limit of its first
// reading; the governor starts there with GOMAXPROCS.
func NewSearch() *Search {
	s := &Search{model: newModel()}
	s.due.reset(0)
	s.reasons = s.room[:0]
	s.pairs = &s.sides[0]
	return s
}

// Next takes one reading and returns the limit to put in force.
func (s *Search) Next(r Reading) Decision {
	if !s.begun {
		s.begin(r)
	}
	s.excess += (r.At - s.read.At).Seconds() * max(0, float64(r.Limit)/float64(s.home)-1)
	s.read = r
	s.others.see(r)
	switch {
	case s.shed.due(r, s.model.residence(), s.want > s.brink.safe):
		s.overloaded()
	case s.trialing && !r.Turn:
		s.measure(s.home, holdUnits, 1.5, (*Search).hold)
	case s.meter.take(r, &s.model):
		w := s.meter.window(&s.model)
		patchy := s.see(w)
		moved := false
		if w.bound >= boundEnough && s.meter.to.Overloads == s.meter.from.Overloads {
			moved = s.brink.bear(w)
		}
		switch {
		case moved:
			s.borne(w)
		case s.next == nil:
			s.start(w)
		case patchy:
			s.explore()
			s.measure(s.home, holdUnits, 1.5, (*Search).hold)
		default:
			s.next(s, w)
		}
	}
	d := Decision{Limit: s.want, Soon: s.meter.quick, Experiment: s.trialing || s.wanted}
	if len(s.reasons) > 0 {
		// One a tick: an experiment often ends with a verdict and begins the next.
		d.Reason = s.reasons[0]
		s.reasons = append(s.reasons[:0], s.reasons[1:]...)
	}
	return d
}

func (s *Search) begin(r Reading) {
	s.begun = true
	s.read, s.want, s.home = r, r.Limit, r.Limit
	s.heaps.at = s.now() + heapSoon
	s.shed.overloads, s.shed.completed = r.Overloads, r.Completed
	s.say(Reason{Kind: Start, From: r.Limit, To: r.Limit, Gain: math.NaN()})
	// Without naming start, which would allocate: the law of a short call often
	// ends here.
	s.measure(r.Limit, rampUnits, 1, nil)
}

// measure puts limit in force, lets the units in flight turn over if that is
// a change, gathers a window of about units completions but no more than
// turns residence times, and gives it to next.
func (s *Search) measure(limit int, units, turns float64, next sequel) {
	limit = s.clamp(limit)
	if limit < s.want {
		s.brink.changed(s.want, s.now(), s.model.residence())
	}
	s.meter.begin(s.read, limit, units, turns, s.others.rate, &s.model)
	s.want, s.next = limit, next
	s.trialing = limit != s.home
}

// clamp keeps n within the bounds and vetoes in force, and off the brink.
func (s *Search) clamp(n int) int {
	n = min(n, s.brink.top(s.read))
	if s.read.Max > 0 {
		n = min(n, s.read.Max)
	}
	return max(n, s.read.Min, 1)
}

func (s *Search) say(r Reason) { s.reasons = append(s.reasons, r) }

// probe says that n is tried.
func (s *Search) probe(n int) {
	s.say(Reason{Kind: Probe, From: s.home, To: n, Gain: math.NaN()})
}

// move makes n the limit that stands.
func (s *Search) move(n int, gain, err float64, note string) {
	n = s.clamp(n)
	if n != s.home {
		k := Grow
		if n < s.home {
			k = Shrink
		}
		s.say(Reason{Kind: k, From: s.home, To: n, Gain: gain, Error: err, Note: note})
	}
	s.home = n
}

// stay says that n was tried and brought too little.
func (s *Search) stay(n int, gain, err float64, note string) {
	s.say(Reason{Kind: Stay, From: s.home, To: n, Gain: gain, Error: err, Note: note})
}

// start leads from the first reading to the ramp. Before anything completes,
// only the CPUs can say that more units would help: while they are mostly
// idle, the limit doubles, blindly but to no more than 8 units a CPU.
func (s *Search) start(w window) {
	if w.comp >= 1 {
		s.model.learn(w)
		s.ramp(w, 2, (*Search).landed)
		return
	}
	n := s.home
	if w.bound >= boundEnough && w.idle > 0.5 && float64(n) < 8*s.read.CPUs {
		s.move(min(2*n, int(8*s.read.CPUs)), math.NaN(), 0, "nothing has finished yet and the CPUs are idle")
	}
	s.measure(s.home, rampUnits, 1, nil)
}

// landed takes up holding where a climb ended. It has just come from below, so
// looking down again can wait, unless above was clearly worse.
func (s *Search) landed(w window) {
	if now := s.now(); s.due.up.at <= now {
		s.due.down.at = max(s.due.down.at, now+1)
	}
	s.hold(w)
}

// restart drops what was learnt of the neighbourhood of the limit. The next
// windows form a new reference.
func (s *Search) restart() {
	s.watch.reset()
	s.explore()
}

// explore drops what trials and looks have found.
func (s *Search) explore() {
	s.sides = [2]evidence{}
	s.cliff = cliff{}
	s.slope = slope{}
	s.due.reset(s.now())
}

func (s *Search) now() float64 { return s.read.At.Seconds() }

// overloaded goes down because the work itself said "too much": from an experiment
// back to the limit that stands, or to the highest that was borne if that is lower,
// and from there by 0.7. What lies between that and the limit that was refused is
// looked at at once.
//
// It does not look further than one step ahead, nor down: throughput does not tell there.
func (s *Search) overloaded() {
	from := s.want
	n := s.clamp(min(s.brink.hit(s.want, s.read, s.shed.before), s.home))
	if n != s.home {
		s.restart()
	}
	s.home, s.want = n, n
	if n != from { // else it is as low as it may be, and would say so at each report
		s.say(Reason{Kind: Overloaded, From: from, To: n, Gain: math.NaN()})
	}
	if n < s.brink.safe || s.brink.settled() {
		s.measure(n, holdUnits, 1.5, (*Search).hold)
		return
	}
	s.measure(n, rampUnits, 1.5, func(_ *Search, w window) {
		s.model.learn(w)
		s.ramp(w, 0, (*Search).landed)
	})
}

// borne goes on from the limit that was a brink and is none any more.
func (s *Search) borne(w window) {
	s.restart()
	s.model.learn(w)
	s.move(w.n, math.NaN(), 0, "it is not refused any more")
	s.ramp(w, 0, (*Search).landed)
}

// shed notices overload reports. The limit is cut at most once per turnover of
// the units in flight, since units that were admitted before a cut go on
// reporting after it: once a residence time has passed and as many units have
// ended as were in flight. A few reports among many successes are no sign of too
// much, but the way of services: one in brinkPrice is let pass, unless the limit
// was never borne before: it is tried, and the report is the answer.
type shed struct {
	overloads int64
	completed int64
	credit    float64       // reports that are let pass
	before    int64         // overloads when the newest cut was due, without those that made it so
	after     time.Duration // no cut before this
	ended     int64         // nor before so many units have ended
}

// shedCredit bounds the reports that are let pass together.
const shedCredit = 3

func (s *shed) due(r Reading, residence float64, tried bool) bool {
	s.credit = min(shedCredit, s.credit+float64(r.Completed-s.completed)/brinkPrice)
	s.completed = r.Completed
	before := s.overloads
	s.overloads = r.Overloads
	if r.Overloads == before || r.At < s.after || r.Completed+r.Overloads < s.ended {
		return false
	}
	s.credit -= float64(r.Overloads - before)
	if s.credit >= 0 && !tried {
		return false
	}
	s.credit, s.before = max(0, s.credit), before
	if residence == 0 {
		residence = settleBlind
	}
	s.after = r.At + time.Duration(max(minSettle, residence)*float64(time.Second))
	s.ended = r.Completed + r.Overloads + int64(r.InFlight)
	return true
}
