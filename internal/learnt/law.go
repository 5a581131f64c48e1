package learnt

import (
	"math"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A Law begins with what an earlier process has found: it tries the remembered limit first. If
// the throughput falls short of the remembered one, it lowers the limit at once by the same
// factor, but not below the start of the law inside, which then takes over. The law inside also
// takes over after HoldMost, in case there is more to gain, and at once if the remembered limit
// is not above its start.
// A limit that was not found by a search, or that serves another end than throughput, is
// only where the law inside begins: its first limit is for its user to set.
//
// Meanwhile it learns for the next process.
type Law struct {
	control.Controller
	start int
	last  *Lesson

	mu                 sync.Mutex // of all below: it is asked what it has learnt by others
	held               bool       // the limit of then is in force
	told               bool       // so it was said
	now                Lesson     // what was learnt: Limit is 0 before that is anything
	limit              int        // that stands
	at, bound, units   float64    // of the newest reading
	completed          int64
	sumBound, sumUnits float64 // since the limit stands
	sumTurns           float64
	due                time.Duration // when it is to be kept next
	isDue              bool
	isNews             bool // something was learnt since News was asked
}

const (
	// HoldMost is how long a limit is kept that does as well as before. Many lists are over
	// by then, and where work goes on a search costs little.
	HoldMost = 10 * time.Second
	// holdLeast is the share of the throughput of then that is as good as all of it.
	holdLeast = 0.8
	// standLeast is for how long units must have waited at a limit for that to be learnt, s:
	// on the way up a limit stands for less, and a short rush says little.
	standLeast = 1
	// memory is how much of that counts, s: work changes.
	memory = 60
	// keepFirst and keepEvery are when what was learnt is due to be kept.
	keepFirst = 10 * time.Second
	keepEvery = time.Minute
)

// NewLaw returns a law that begins with last, or without it if that is nil. Its first limit
// would be start.
func NewLaw(law control.Controller, start int, last *Lesson) *Law {
	l := &Law{Controller: law, start: start, last: last, due: keepFirst}
	l.held = last != nil && last.Found && l.LateAfter() == 0
	return l
}

// LateAfter implements [control.LatencyReader].
func (l *Law) LateAfter() time.Duration {
	if law, ok := l.Controller.(control.LatencyReader); ok {
		return law.LateAfter()
	}
	return 0
}

// Next implements [control.Controller].
func (l *Law) Next(r control.Reading) control.Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.decide(r)
	l.learn(r, d)
	return d
}

func (l *Law) decide(r control.Reading) control.Decision {
	if !l.held {
		return l.Controller.Next(r)
	}
	then := l.last
	if r.At > HoldMost || r.Overloads > 0 || r.Max > 0 && r.Max < then.Limit || r.Min > then.Limit {
		l.held = false
		return l.Controller.Next(r)
	}
	if n, kept := l.deserved(r); !kept {
		l.held = false
		if n >= then.Limit {
			return l.Controller.Next(r)
		}
		return control.Decision{Limit: n, Reason: control.Reason{
			Kind: control.Shrink, From: then.Limit, To: n, Gain: math.NaN(), Note: "it does less than in an earlier run",
		}}
	}
	d := control.Decision{Limit: then.Limit}
	if !l.told {
		l.told = true
		d.Reason = control.Reason{Kind: control.Start, From: r.Limit, To: d.Limit, Gain: math.NaN(), Note: "as learnt by an earlier run"}
	}
	return d
}

// deserved returns the limit of then, and that the promise is kept, if what was done since, while
// units waited for a permit, is as much as was promised, less what may be in flight and two
// standard errors. Otherwise it returns how many units would have been in flight for that if
// each took as long as then (Little's law), but no less than start: where a server is crowded,
// more make it worse.
func (l *Law) deserved(r control.Reading) (n int, kept bool) {
	limit, weight := float64(l.last.Limit), l.last.Weight
	if weight == 0 {
		weight = 1
	}
	promised := l.last.Rate * r.Bound
	least := holdLeast * promised
	if r.Units+weight*limit >= least-2*math.Sqrt(least*weight) {
		return l.last.Limit, true
	}
	done := r.Units + weight*limit/2 // what is in flight is half done
	return max(l.start, int(math.Ceil(limit*min(1, done/promised)))), false
}

// learn notes what is done at the limit that stands. Only while units wait for a permit does
// that say anything about the limit, and not while somebody else has set it.
func (l *Law) learn(r control.Reading, d control.Decision) {
	span, bound := r.At.Seconds()-l.at, r.Bound-l.bound
	units, turns := r.Units-l.units, r.Completed-l.completed
	l.at, l.bound, l.units, l.completed = r.At.Seconds(), r.Bound, r.Units, r.Completed
	waited := bound > span/2 && r.Min != r.Max
	if waited {
		l.sumBound, l.sumUnits, l.sumTurns = l.sumBound+bound, l.sumUnits+units, l.sumTurns+float64(turns)
	}
	if l.limit == 0 {
		l.limit = r.Limit
	}
	limit := max(l.stands(d), r.Min, 1)
	if r.Max > 0 {
		limit = min(limit, r.Max) // the law may want more
	}
	if limit != l.limit {
		l.limit, l.sumBound, l.sumUnits, l.sumTurns = limit, 0, 0, 0
	}
	if l.sumBound < standLeast || l.sumUnits <= 0 || l.sumTurns <= 0 {
		return
	}
	l.now.Limit, l.now.Rate, l.now.Weight = l.limit, l.sumUnits/l.sumBound, l.sumUnits/l.sumTurns
	l.isNews = l.isNews || waited
	if l.sumBound > memory {
		l.sumBound, l.sumUnits, l.sumTurns = l.sumBound/2, l.sumUnits/2, l.sumTurns/2
	}
	if r.At >= l.due {
		l.due, l.isDue = r.At+keepEvery, true
	}
}

// stands returns the limit that a decision leaves in force but for an experiment, and notes
// whether the search has come to an end.
func (l *Law) stands(d control.Decision) int {
	why := d.Reason
	if (why.Kind == control.Stay || why.Kind == control.Shrink) && !math.IsNaN(why.Gain) && !l.now.Found {
		l.now.Found, l.isNews = true, true
	}
	switch {
	case why.Kind == control.Grow || why.Kind == control.Shrink:
		return max(1, why.To)
	case why.Kind == control.Probe || why.Kind == control.Stay:
		return max(1, why.From)
	case d.Experiment:
		return l.limit
	}
	return d.Limit
}

// Standing returns the limit that stands, not counting a trial that is under way.
func (l *Law) Standing() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// Learnt returns what was learnt: the fields Limit, Rate and Weight, which are 0 if that is
// nothing yet, and Found.
func (l *Law) Learnt() Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.learnt()
}

// News returns what was learnt, and whether some of it was since News was called before.
func (l *Law) News() (now Lesson, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is = l.isNews && l.now.Limit > 0
	l.isNews = false
	return l.learnt(), is
}

func (l *Law) learnt() Lesson {
	now := l.now
	now.Found = now.Found || l.held
	return now
}

// Due reports whether what was learnt should be kept now. It does so ten seconds of work
// after the first, and then once a minute.
func (l *Law) Due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	due := l.isDue
	l.isDue = false
	return due
}
