package control

import "math"

// Search is the default law: it finds the limit with the most throughput and, among
// equals, the fewest units in flight, by experiment.
//
// It measures a window at one limit, then at another, compares the two, and moves only
// on evidence:
//
//	starting     nothing has completed yet: the CPUs decide
//	climbing     coarse: double while doubling pays, then Little's law gives the knee
//	descending   halve while that loses almost nothing
//	standing     watch windows at the current limit; look for change
//	dueling      the current limit against another, A B B A …
//	confirming   a second window after one that looked different
//
// CPU use makes looks rarer and counts as evidence; throughput can overrule it. The
// package's README describes this law file by file.
//
// The zero Search is not usable; call [NewSearch].
type Search struct {
	read  Reading // the newest
	want  int     // the limit asked for
	home  int     // the limit that stands: where experiments return to
	doing activity

	meter  meter
	work   work
	usual  detector // what windows at home look like
	climb  climb
	looks  [lookKinds]look
	active lookKind // whose duel is under way
	demand demand
	waited float64 // time, s, in which units wanted more permits before any had finished
	excess float64 // time in flight beyond home, in units of home, s

	reasons []Reason  // of the newest decisions, until they are handed out
	room    [4]Reason // for the first of them
}

// An activity says what the window under way is for.
type activity uint8

const (
	starting activity = iota
	climbing
	descending
	standing
	dueling
	confirming
)

// ends take the window that an activity has waited for.
var ends = [...]func(*Search, window){(*Search).start, (*Search).climbed, (*Search).descended, (*Search).hold,
	(*Search).dueled, (*Search).hold}

// NewSearch returns the default law, without the part that handles overloads (see
// [NewOverload]). It begins at the limit of its first reading; a Limiter starts there
// with GOMAXPROCS.
func NewSearch() *Search {
	s := &Search{work: newWork()}
	s.reasons = s.room[:0]
	return s
}

// Next takes one reading and returns the limit to put in force.
func (s *Search) Next(r Reading) Decision {
	if s.home == 0 {
		s.read, s.want, s.home = r, r.Limit, max(r.Limit, 1)
		s.explore()
		s.say(Reason{Kind: Start, From: r.Limit, To: r.Limit, Gain: math.NaN()})
		s.measure(r.Limit, rampUnits, 1, starting)
	}
	s.excess += (r.At - s.read.At).Seconds() * max(0, float64(r.Limit)/float64(s.home)-1)
	s.read = r
	if s.meter.take(r, &s.work) {
		w := s.meter.window(&s.work)
		s.work.see(w)
		ends[s.doing](s, w)
	}
	d := Decision{Limit: s.want, Soon: s.meter.quick || s.doing == starting, Experiment: s.want != s.home}
	if len(s.reasons) > 0 {
		// One a tick: an experiment often ends with a verdict and begins the next.
		d.Reason = s.reasons[0]
		s.reasons = append(s.reasons[:0], s.reasons[1:]...)
	}
	return d
}

// measure puts limit in force, lets the units in flight turn over if that is a
// change, and gathers a window of about units completions but no more than turns
// residence times, for an activity.
func (s *Search) measure(limit int, units, turns float64, p activity) {
	limit = s.clamp(limit)
	s.meter.begin(s.read, limit, units, turns, &s.work)
	s.want, s.doing = limit, p
}

// rest measures at the limit that stands.
func (s *Search) rest() { s.measure(s.home, holdUnits, 1.5, standing) }

// clamp keeps n within the bounds in force.
func (s *Search) clamp(n int) int {
	if s.read.Max > 0 {
		n = min(n, s.read.Max)
	}
	return max(n, s.read.Min, 1)
}

// start leads to the climb. A climb takes a turn of the units for each step, and many a list
// of jobs is over by then. So before anything has finished, the limit doubles in step with
// the time, while most CPUs are idle or most units sleep.
func (s *Search) start(w window) {
	if w.comp >= 1 {
		s.work.learn(w)
		s.ramp(w, rampStairs)
		s.climb.wave, s.waited = s.waited > 0, 0
		return
	}
	if w.bound >= boundEnough && (w.idle > 0.5 || s.read.Asleep >= asleepEnough) {
		s.waited += w.t
		if n, most := s.home, int(max(blindMost, 8*s.read.CPUs)); s.waited >= blindPace*float64(n) && n < most {
			s.move(min(2*n, most), math.NaN(), 0, "no unit has finished yet, and they sleep or leave CPUs idle")
		}
	}
	s.measure(s.home, rampUnits, 1, starting)
}

// restart drops what was learnt at and around the limit that stands.
func (s *Search) restart() {
	s.usual = detector{}
	s.work.doubt = false
	s.explore()
}

func (s *Search) now() float64 { return s.read.At.Seconds() }

func (s *Search) say(r Reason) { s.reasons = append(s.reasons, r) }

// probe says that n is tried.
func (s *Search) probe(n int) {
	s.say(Reason{Kind: Probe, From: s.home, To: n, Gain: math.NaN()})
}

// move makes n the limit that stands. gain is a log ratio, NaN where none was measured.
func (s *Search) move(n int, gain, err float64, note string) {
	n = s.clamp(n)
	if n != s.home {
		k := Grow
		if n < s.home {
			k = Shrink
		}
		s.say(Reason{Kind: k, From: s.home, To: n, Gain: math.Expm1(gain), Error: err, Note: note})
	}
	s.home = n
}

// stay says that n was tried and brought too little.
func (s *Search) stay(n int, gain, err float64, note string) {
	s.say(Reason{Kind: Stay, From: s.home, To: n, Gain: math.Expm1(gain), Error: err, Note: note})
}
