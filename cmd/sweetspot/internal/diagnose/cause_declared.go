package diagnose

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/vet"
)

// Checks of sweetspot vet whose findings stand where something is declared.
const (
	checkArray = "chanarray"
	checkPad   = "shardpad"
)

// declared looks for what stands in a line that takes no time: a channel that is used
// as a list, a table of locks. What it costs is found at the lines that use it.
func (x *examination) declared() []Finding {
	if x.cpu() <= 0 {
		return nil
	}
	var all []Finding
	for _, s := range x.static {
		if len(s.Uses) == 0 || s.Grade == vet.Hot.String() {
			continue
		}
		var f Finding
		ok := false
		switch s.Check {
		case checkArray:
			f, ok = x.array(s)
		case checkPad:
			f, ok = x.table(s)
		}
		if !ok {
			continue
		}
		for _, p := range f.Other {
			x.claimed[x.function(p)] = true
		}
		all = append(all, f)
	}
	return all
}

// used returns the lines of the profile that use what a finding is about, and have no
// cause yet.
func (x *examination) used(s Static, profile *dissect.Weighing) []*dissect.Weight {
	var lines []*dissect.Weight
	for i := range profile.Lines {
		w := &profile.Lines[i]
		if s.usedAt(w.Place) && !x.settled(x.function(w.Place)) {
			lines = append(lines, w)
		}
	}
	return lines
}

// handling returns the CPU time that lines take in channels and locks, and the lines.
func handling(lines []*dissect.Weight) (cost float64, places []dissect.Place) {
	for _, w := range lines {
		cost += w.Groups[dissect.Channels] + w.Groups[dissect.Scheduling]
		places = append(places, w.Place)
	}
	return cost, places
}

// array tells of a channel that is used as a list: without it its operations cost
// nothing.
func (x *examination) array(s Static) (Finding, bool) {
	cost, places := handling(x.used(s, x.p.Profile))
	if len(places) == 0 {
		return Finding{}, false
	}
	f := x.finding(s.Check, Overhead, dissect.Place{Func: places[0].Func, File: s.File, Line: s.Line}, places...)
	ofCPU := f.won(x, cost)
	if f.Share < worthwhile {
		return f, false
	}
	f.Func, f.Static = x.function(places[0]), []Static{s}
	f.Title = fmt.Sprintf("%s uses a channel as a list", short(f.Func))
	f.Evidence = []string{fmt.Sprintf("Its operations take %s of the CPU time in the channel's lock.", percent(ofCPU))}
	f.Remedy = "Append to a slice, or fill one by index; sweetspot.ForEach shares it out."
	return f, true
}

// table tells of a table of locks whose elements share cache lines: what its lines take
// more of with more CPUs.
func (x *examination) table(s Static) (Finding, bool) {
	cost, places := handling(x.used(s, x.p.Profile))
	if cost < hotLine*x.cpu() {
		return Finding{}, false
	}
	f := x.finding(s.Check, Unknown, dissect.Place{Func: places[0].Func, File: s.File, Line: s.Line}, places...)
	f.Func, f.Static = x.function(places[0]), []Static{s}
	f.Title = fmt.Sprintf("locks side by side are taken in %s", short(f.Func))
	f.Evidence = []string{fmt.Sprintf("Taking and giving back locks of the table is %s of the CPU time.", percent(cost/x.cpu()))}
	f.Remedy = "Pad the elements to a multiple of 64 bytes; sweetspot vet --fix does that."
	was := 0.0
	if x.one != nil && x.one.Profile != nil {
		was, _ = handling(x.used(s, x.one.Profile))
	}
	beyond := len(x.o.Control) == 0 || was > 0 && cost/was > slices.Max(x.o.Control)
	if was > 0 && beyond && cost >= inflated*x.steady*was && min(len(x.p.CPU), len(x.one.CPU)) >= inflatedRounds {
		f.Basis = Inflation
		f.won(x, cost-x.steady*was)
		f.Evidence = append(f.Evidence, fmt.Sprintf("It takes %s times as much of it with %s as with %d.", humanize.Number(cost/was), humanize.Count(x.p.Procs, "CPUs"), x.one.Procs))
		return f, f.Share >= worthwhile
	}
	f.Evidence = append(f.Evidence, "No measurement shows how much of it is lost to cache lines that CPUs take from each other.")
	return f, true
}
