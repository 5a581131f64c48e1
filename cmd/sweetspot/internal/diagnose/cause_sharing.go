package diagnose

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/dissect"
)

const (
	// inflated is how many times as much CPU time the same work takes with all CPUs as
	// with one where a line is fought over. Addition in place takes 1.3 times as much
	// with two CPUs that share a line, atomic addition 3 to 7 times; work that shares
	// nothing stays below 1.1 once what the machine itself does is taken off.
	inflated = 1.3
	// inflatedEver is what every round has to show, so that one bad round is not taken
	// for it.
	inflatedEver = 1.15
	// hotLine is the least share of the CPU time that a line has to have.
	hotLine = 0.1
	// byTheLine is the least part of the CPU time that has been added which the line
	// has to account for. What else grows, locks or garbage, has causes of its own.
	byTheLine = 0.5
)

// sharing looks for lines that write to memory which other CPUs write to. No
// counter tells of it in a virtual machine, so it is told by what is left: a line of
// goroutines that stores, and takes more CPU time for the same work with more CPUs.
func (x *examination) sharing() []Finding {
	if x.one == nil || x.one.Procs == x.p.Procs || x.p.Profile == nil || x.one.Profile == nil {
		return nil
	}
	more := ratioOf(x.p.CPU, x.one.CPU)
	more = Interval{more.Mid / x.steady, more.Low / x.steady, more.High / x.steady}
	before := map[dissect.Place]float64{}
	for _, w := range x.one.Profile.Lines {
		before[w.Place] += w.Self.Amount
	}
	added := x.cpu() - x.steady*x.one.Profile.All.Amount
	var all []Finding
	for _, w := range x.p.Profile.Lines {
		l := x.line(w.Place)
		share := w.Self.Amount / x.cpu()
		if share < hotLine || !l.stores && !x.loopsOver(w.Place) || w.Spawned.Amount < 0.5*w.Own.Amount || x.claimed[outer(w.Place.Func)] {
			continue
		}
		f := x.finding(checkShared, Inflation, w.Place)
		x.join(&f, nil, "falseshare", "fieldshare", "shardpad")
		grew := w.Self.Amount - x.steady*before[w.Place]
		told := before[w.Place] > 0 && more.Mid >= inflated && more.Low >= inflatedEver &&
			w.Self.Amount >= inflated*x.steady*before[w.Place] && grew >= byTheLine*added
		if !told && len(f.Static) == 0 {
			continue
		}
		f.Title = fmt.Sprintf("%s writes to a cache line that other CPUs write to", short(w.Place.Func))
		f.Evidence = append(f.Evidence, fmt.Sprintf("The line takes %s of the CPU time, in goroutines of which each CPU has one.", percent(share)))
		if told {
			f.won(x, grew)
			f.Evidence = append(f.Evidence,
				fmt.Sprintf("It takes %s of CPU time %s with %s and %s with 1: %s times as much for the same work.",
					seconds(w.Self.Amount), x.each(), cpus(x.p.Procs), seconds(before[w.Place]), number(w.Self.Amount/before[w.Place])),
				fmt.Sprintf("All of the process takes %s times as much (%s to %s in single rounds)%s, and what was added is not in locks, the scheduler or the collector.",
					number(more.Mid), number(more.Low), number(more.High), x.steadied()))
		} else {
			f.Basis = Unknown
			f.Evidence = append(f.Evidence, fmt.Sprintf("That it costs time does not show here: the process takes %s times as much CPU time with %s as with 1.", number(more.Mid), cpus(x.p.Procs)))
		}
		f.Remedy = "Let each goroutine work on a variable of its own and store the result once: sweetspot.ReduceRange and Reduce do that. Else keep what goroutines write 128 bytes apart."
		x.claimed[outer(w.Place.Func)] = true
		all = append(all, f)
	}
	return all
}

// steadied says that a figure is without what the machine itself does.
func (x *examination) steadied() string {
	if x.steady < 1.02 {
		return ""
	}
	return fmt.Sprintf(", the %s times left out that this machine takes for a loop in registers", number(x.steady))
}

// loopsOver reports whether a line is the head of a loop whose body, in the next
// line, writes to memory: to which of the two a sample goes depends on how the
// processor is interrupted.
func (x *examination) loopsOver(p dissect.Place) bool {
	next := p
	next.Line++
	l := x.line(p)
	return len(l.text) > 4 && l.text[:4] == "for " && x.line(next).stores
}
