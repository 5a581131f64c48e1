package diagnose

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// untracedShare is the part of the CPU time that starting goroutines and handing over has
// to take for a CPU profile alone to say that it is for next to nothing. Either takes less
// than a microsecond, so what it is done for is on average less than three: far below
// fineRun and cheapItem.
const untracedShare = 0.25

// untraced looks for the same as spawns and items do, by the CPU profile and the source:
// no trace says how many goroutines there were and how long they ran.
func (x *examination) untraced() []Finding {
	if x.p.Activity != nil || x.cpu() <= 0 {
		return nil
	}
	return x.settle(x.p.Profile, func(fn string, group []*dissect.Weight) (f Finding, ok bool) {
		cost := x.overhead(fn, 0)
		if cost < untracedShare*x.cpu() {
			return f, false
		}
		var spawns, items []dissect.Place
		var spawning, handing float64
		recursive := false
		for _, w := range group {
			l := x.line(w.Place)
			took := w.Groups[dissect.Scheduling] + w.Groups[dissect.Channels]
			switch {
			case took < hardlyRan*x.cpu() || l.library:
			case l.spawns:
				spawns, spawning, recursive = append(spawns, w.Place), spawning+took, recursive || l.recurses
			case l.channel:
				items, handing = append(items, w.Place), handing+took
			}
		}
		switch {
		// How goroutines tell their results is part of it.
		case len(spawns) > 0 && (recursive || spawning >= handing):
			f = x.finding(checkSpawn, Overhead, spawns[0], append(spawns, items...)...)
			if recursive {
				f.Check = checkRecursion
			}
			x.join(&f, nil, "recspawn", "unboundedgo")
			f.Title = fmt.Sprintf("%s starts goroutines for next to no work", short(fn))
			f.Remedy = spawnRemedy(recursive && f.Check == checkRecursion, false)
		case len(items) > 0:
			f = x.finding(checkItem, Overhead, items[0], items...)
			x.join(&f, nil, "chanitem", "chanarray")
			f.Title = fmt.Sprintf("%s hands over one cheap item at a time", short(fn))
			f.Remedy = itemRemedy
		default:
			return f, false
		}
		ofCPU := f.won(x, cost)
		f.Evidence = []string{
			fmt.Sprintf("Starting, switching and ending goroutines, and handing over, is %s of the CPU time; the work itself is %s.", percent(ofCPU), percent(x.p.Profile.Groups[dissect.Own])),
			"No trace was recorded: it is not known how many goroutines and items there are, and how long they run.",
		}
		return f, f.Share >= worthwhile
	})
}
