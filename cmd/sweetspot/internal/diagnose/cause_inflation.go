package diagnose

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

const (
	// inflated is how many times as much CPU time the same work takes with the most CPUs
	// as with the fewest where a line is fought over. Addition in place takes 1.3 times as much
	// with two CPUs that share a line, atomic addition 3 to 7 times; work that shares
	// nothing stays below 1.1 once what the machine itself does is taken off.
	inflated = 1.3
	// inflatedEver is what every round has to show, so that one bad round is not taken
	// for it.
	inflatedEver = 1.15
	// inflatedRounds is the least that tells it. CPU time is counted in ticks, and
	// depends on what else the machine does for seconds: with three short rounds sums
	// that share nothing were seen to take 1.4 times as much where others used the
	// machine. With five that was not seen, which does not exclude it: hence the loop in
	// registers after each round, whose worst has to be exceeded.
	inflatedRounds = 5
	// hotLine is the least share of the CPU time that a finding has.
	hotLine = 0.1
	// byTheLine is the least part of the CPU time that has been added which the
	// function has to account for. What else grows, locks or garbage, has causes of
	// its own.
	byTheLine = 0.5
)

// An inflation is how many times as much CPU time the same work takes with the most CPUs as
// with the fewest, without what the machine itself does. How much CPU time that is the
// process is asked, since a profile has too few samples to tell a third; the profile says
// where.
type inflation struct {
	dissect.Spread
	x            *examination
	with, before float64 // CPU time of an operation
	sure         bool    // most of what was added is in memory that CPUs take from each other
}

// inflation compares the most CPUs with the fewest; ok is false if it has nothing to compare.
func (x *examination) inflation() (i inflation, ok bool) {
	if x.cpu() <= 0 || x.one == nil || x.one.Profile == nil || x.one.Profile.All.Amount <= 0 {
		return i, false
	}
	more := evidence.RatioOf(x.p.CPU, x.one.CPU)
	i = inflation{dissect.Spread{Mid: more.Mid / x.steady, Low: more.Low / x.steady, High: more.High / x.steady}, x, evidence.Median(x.p.CPU), evidence.Median(x.one.CPU), false}
	if min(len(x.p.CPU), len(x.one.CPU)) < inflatedRounds || len(x.o.Control) > 0 && more.Mid <= slices.Max(x.o.Control) || i.Mid < inflated || i.Low < inflatedEver {
		return i, true
	}
	var fought float64 // of what was added: both ends of a queue have a part
	for fn, group := range byFunction(x.p.Profile.Lines, x.functionOf) {
		if grew, times := i.grew(x.fought(fn, group)); times >= inflated {
			fought += grew
		}
	}
	i.sure = fought >= byTheLine*(i.with-x.steady*i.before)
	return i, true
}

// grew returns the CPU time that a part of the work takes more, by its shares of the CPU time
// with the most CPUs and with the fewest, and how many times as much it takes.
func (i inflation) grew(share, was float64) (more, times float64) {
	with, before := i.with*share, i.x.steady*i.before*was
	if before <= 0 {
		return 0, 0
	}
	return with - before, with / before
}

// of returns the same as a part of the profile, and whether it is sure, and worth to be told.
func (i inflation) of(share, was float64) (cost float64, sure bool) {
	more, times := i.grew(share, was)
	cost = more / i.with * i.x.cpu()
	return cost, i.sure && times >= inflated && cost >= worthwhile*i.x.cpu()
}

// words is the evidence of such a part.
func (i inflation) words(part string, share, was float64) []string {
	x := i.x
	return []string{
		fmt.Sprintf("%s %s of the CPU time, in goroutines: %s %s with %s and %s with %d, %s times as much for the same work.",
			part, percent(share), seconds(i.with*share), x.o.Per.Each(), humanize.Count(x.p.Procs, "CPUs"), seconds(i.before*was), x.one.Procs, humanize.Number(i.with*share/(i.before*was))),
		fmt.Sprintf("All of the process takes %s times as much (%s to %s in single rounds)%s.",
			humanize.Number(i.Mid), humanize.Number(i.Low), humanize.Number(i.High), x.steadied()),
	}
}

// readers looks for locks for which nobody waits, and which cost more the more CPUs take
// them: those who read count themselves in the lock.
func (x *examination) readers() []Finding {
	more, ok := x.inflation()
	if !ok {
		return nil
	}
	return x.settle(x.p.Profile, func(fn string, _ []*dissect.Weight) (f Finding, ok bool) {
		cost, places := x.locking(x.p.Profile, fn)
		before, _ := x.locking(x.one.Profile, fn)
		share, was := cost/x.cpu(), before/x.one.Profile.All.Amount
		grew, sure := more.of(share, was)
		if share < hotLine || !sure {
			return f, false
		}
		f = x.finding(checkContention, Inflation, places[0], places...)
		f.won(x, grew)
		f.Title = fmt.Sprintf("CPUs take the lock of %s from each other, without waiting for it", short(fn))
		f.Evidence = more.words("Locking and unlocking is", share, was)
		f.Remedy = "If it is read far more often than written, keep it in an immutable value behind an atomic.Pointer, or in a sync.Map. Else split it by key, or give each worker a copy."
		x.join(&f, nil, "shardpad")
		return f, f.Share >= worthwhile
	})
}

// fought returns what part of the CPU time, with the most CPUs and with the fewest, a function
// takes in what CPUs can take from each other: its locks, and itself if it stores.
func (x *examination) fought(fn string, lines []*dissect.Weight) (share, was float64) {
	with, _ := x.locking(x.p.Profile, fn)
	before, _ := x.locking(x.one.Profile, fn)
	if slices.ContainsFunc(lines, func(w *dissect.Weight) bool { _, ok := x.storing(w); return ok }) {
		with, before = with+x.self(x.p.Profile, fn), before+x.self(x.one.Profile, fn)
	}
	return with / x.cpu(), before / x.one.Profile.All.Amount
}

// self returns the CPU time of a function without what it calls.
func (x *examination) self(profile *dissect.Weighing, fn string) (cost float64) {
	for _, w := range profile.Lines {
		if x.function(w.Place) == fn {
			cost += w.Self.Amount
		}
	}
	return cost
}

// locking returns the CPU time that a function takes in locks, and the lines, most first.
func (x *examination) locking(profile *dissect.Weighing, fn string) (cost float64, places []dissect.Place) {
	for _, w := range profile.Lines { // which are in the order of their cost
		if took := w.Groups[dissect.Channels]; took > 0 && x.function(w.Place) == fn && x.line(w.Place).locks {
			cost += took
			places = append(places, w.Place)
		}
	}
	return cost, places
}
