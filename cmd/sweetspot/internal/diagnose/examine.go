package diagnose

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// An examination looks for the causes in one observation.
type examination struct {
	o      *evidence.Observation
	p      *evidence.Point // with the most CPUs
	one    *evidence.Point // with the fewest, if that is another one
	wall   float64
	static []Static
	src    sources
	steady float64 // how many times as much CPU time this machine takes for the same with the most CPUs busy as with the fewest

	// Loose is the CPU time of an operation in the scheduler, and of the collector,
	// that no line of the user's was seen to cause.
	looseScheduling, looseCollection float64
	events                           float64 // starts, ends and parks of goroutines

	// Claimed are functions, with the literals in them, whose cost has a cause already.
	claimed map[string]bool
}

// examine returns the findings of an observation, ranked.
func examine(o *evidence.Observation, static []Static, src sources, steady float64) []Finding {
	x := newExamination(o, static, src, steady)
	if x == nil {
		return nil
	}
	var all []Finding
	for _, look := range []func() []Finding{x.spawns, x.declared, x.items, x.untraced, x.sharing, x.contention, x.readers, x.tooFew, x.garbage, x.leaks, x.others} {
		all = append(all, look()...)
	}
	for i := range all {
		x.cost(&all[i])
		all[i].URL = urlOf(all[i].Check)
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line))
	})
	return all
}

func newExamination(o *evidence.Observation, static []Static, src sources, steady float64) *examination {
	if len(o.Points) == 0 {
		return nil
	}
	x := &examination{o: o, p: o.Largest(), static: static, src: src, steady: max(steady, 1), claimed: map[string]bool{}}
	if x.wall = evidence.Median(x.p.Seconds); x.wall <= 0 {
		return nil
	}
	if len(o.Points) > 1 {
		x.one = &o.Points[0]
	}
	if p := x.p.Profile; p != nil {
		x.looseScheduling = p.All.Amount * (p.Groups[dissect.Scheduling] + p.Groups[dissect.Channels])
		x.looseCollection = p.All.Amount * p.Groups[dissect.Collection]
		for _, l := range p.Lines {
			x.looseScheduling -= l.Groups[dissect.Scheduling] + l.Groups[dissect.Channels]
			x.looseCollection -= l.Groups[dissect.Collection]
		}
		x.looseScheduling, x.looseCollection = max(x.looseScheduling, 0), max(x.looseCollection, 0)
	}
	if a := x.p.Activity; a != nil {
		for _, s := range a.Spawns {
			x.events += 2 * s.Goroutines
		}
		for _, k := range a.Parks {
			x.events += k.Times
		}
	}
	return x
}

func (x *examination) cpu() float64 { return x.p.Profiled() }

func (x *examination) line(p dissect.Place) line {
	if l := x.src.at(p); l != nil {
		return *l
	}
	return line{}
}

// function returns the declared function that a place is in. The compiler calls a literal of
// a function that it has inlined a.caller.inlined.func1, like that of a method: the source says
// which it is.
func (x *examination) function(p dissect.Place) string {
	start := strings.LastIndexByte(p.Func, '/') + 1
	pkg, name, _ := strings.Cut(p.Func[start:], ".")
	name = "." + asParts.Replace(name) + "."
	if in := x.line(p).function; in != "" && strings.Contains(name, "."+in+".") {
		return p.Func[:start] + pkg + "." + in
	}
	return outer(p.Func)
}

var asParts = strings.NewReplacer("[...]", "", "-range", ".")

// users reports whether a line is in the code of the user, who can change it.
func (x *examination) users(p dissect.Place) bool { return x.o.Scope.Has(p) }

// governed reports whether goroutines are started by this library, which looks
// itself how many pay. A Group starts what it is given.
func governed(entry string) bool { return ofLibrary(entry) && !strings.Contains(entry, "(*Group)") }

// ofLibrary reports whether a function is of this library. Other packages and
// modules have import paths below its own.
func ofLibrary(fn string) bool {
	return strings.HasPrefix(fn, libraryPath+".") || strings.HasPrefix(fn, libraryPath+"/limit.")
}

// settled reports whether the cost of a function has a cause already, or is that of
// this library, which a user does not fix.
func (x *examination) settled(fn string) bool {
	return x.claimed[fn] || ofLibrary(fn) && !ofLibrary(x.o.Package+".")
}

// byFunction groups things by the declared function that they are in, in the order
// in which these first occur.
func byFunction[T any](all []T, of func(*T) string) iter.Seq2[string, []*T] {
	var order []string
	groups := map[string][]*T{}
	for i := range all {
		fn := of(&all[i])
		if groups[fn] == nil {
			order = append(order, fn)
		}
		groups[fn] = append(groups[fn], &all[i])
	}
	return func(yield func(string, []*T) bool) {
		for _, fn := range order {
			if !yield(fn, groups[fn]) {
				return
			}
		}
	}
}

func (x *examination) functionOf(w *dissect.Weight) string { return x.function(w.Place) }

// settle has look examine the functions of a profile whose cost has no cause yet, each by its lines, and
// returns what it finds. The cost of a function with a finding has its cause.
func (x *examination) settle(profile *dissect.Weighing, look func(fn string, lines []*dissect.Weight) (Finding, bool)) []Finding {
	var all []Finding
	for fn, lines := range byFunction(profile.Lines, x.functionOf) {
		if x.settled(fn) {
			continue
		}
		if f, ok := look(fn, lines); ok {
			x.claimed[fn] = true
			all = append(all, f)
		}
	}
	return all
}

// overhead returns the CPU time of an operation that starting goroutines and
// handing over takes in a function: what its lines take in the scheduler and in
// channels, what allocating goroutines' closures and channels takes, and of what
// no line was seen to cause the share that its events have of all, or without a trace
// that which its lines have of what lines were seen to cause.
func (x *examination) overhead(fn string, events float64) float64 {
	if x.p.Profile == nil {
		return 0
	}
	var cost float64
	var handling, all float64
	for _, w := range x.p.Profile.Lines {
		all += w.Groups[dissect.Scheduling] + w.Groups[dissect.Channels]
		if x.function(w.Place) != fn {
			continue
		}
		handling += w.Groups[dissect.Scheduling] + w.Groups[dissect.Channels]
		if l := x.line(w.Place); l.spawns || l.makeChan {
			cost += w.Groups[dissect.Allocation] + w.Groups[dissect.Collection]
		}
	}
	cost += handling
	switch {
	case x.events > 0:
		cost += x.looseScheduling * min(events/x.events, 1)
	case x.p.Activity == nil && all > 0: // nobody has counted
		cost += x.looseScheduling * handling / all
	}
	if a := x.p.Allocs; a != nil && a.All.Amount > 0 {
		for _, w := range a.Lines {
			if l := x.line(w.Place); x.function(w.Place) == fn && (l.spawns || l.makeChan) {
				cost += x.looseCollection * min(w.Own.Amount/a.All.Amount, 1)
			}
		}
	}
	return min(cost, x.cpu())
}

// won fills in the time that could be won, given the CPU time that would go, and returns
// what part this is of all CPU time. The rest of an operation, in which it waits for
// what is not in this process, stays as it is.
func (f *Finding) won(x *examination, cost float64) (ofCPU float64) {
	if x.cpu() > 0 {
		ofCPU = cost / x.cpu()
	}
	f.Seconds = ofCPU * (x.wall - x.asleep())
	f.Share = f.Seconds / x.wall
	return ofCPU
}

// asleep returns for how long an operation at least waits for what is not in this
// process, whatever it costs beside: as long as the goroutine that nobody has started
// does so, and those of a line, with as many of them at a time as there ever were.
func (x *examination) asleep() float64 {
	if x.o.Per == evidence.Second {
		return x.o.Idle() * x.wall // of goroutines that were there before it is not known who started them
	}
	if x.p.Activity == nil {
		return 0
	}
	var own, most float64
	for _, k := range x.p.Activity.Parks {
		if k.Times <= 0 || k.Reason != "sleep" && k.Reason != "network" {
			continue
		}
		others := 0.0
		for _, o := range k.Of {
			others += o.Times
		}
		own += k.Seconds * max(1-others/k.Times, 0)
	}
	for i := range x.p.Activity.Spawns {
		if s := &x.p.Activity.Spawns[i]; s.Peak > 0 {
			most = max(most, outside(s)/float64(s.Peak))
		}
	}
	// Under the instrument it may have waited longer than without.
	return min(max(own, most), x.wall)
}

func (x *examination) finding(check string, basis Basis, at dissect.Place, others ...dissect.Place) Finding {
	f := Finding{Check: check, Basis: basis, Place: at, Func: x.function(at), Text: x.line(at).text}
	for _, p := range others {
		if p != at && !slices.Contains(f.Other, p) {
			f.Other = append(f.Other, p)
		}
	}
	return f
}

// join adds what sweetspot vet says of the places, and of the callers and inlined
// frames that were on the stack. A finding takes the check of one that fits.
func (x *examination) join(f *Finding, stacks [][]dissect.Place, fitting ...string) {
	places := append([]dissect.Place{f.Place}, f.Other...)
	for _, s := range stacks {
		places = append(places, s...)
	}
	for _, s := range staticsOf(x.static, places...) {
		if !slices.Contains(fitting, s.Check) || slices.ContainsFunc(f.Static, s.is) {
			continue
		}
		if len(f.Static) == 0 {
			f.Check = s.Check
		}
		f.Static = append(f.Static, s)
	}
}

func seconds(v float64) string { return humanize.Format(v*1e9, "ns") }

func percent(v float64) string {
	if v > 0 && v < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}

// cost fills in what the lines of a finding were seen to cost.
func (x *examination) cost(f *Finding) {
	at := func(p dissect.Place) bool {
		return slices.ContainsFunc(append([]dissect.Place{f.Place}, f.Other...), func(o dissect.Place) bool { return o.File == p.File && o.Line == p.Line })
	}
	add := func(w *dissect.Weighing, to *float64) {
		if w == nil {
			return
		}
		for _, l := range w.Lines {
			if at(l.Place) {
				*to += l.Own.Amount
			}
		}
	}
	add(x.p.Profile, &f.CPU)
	if f.Waiting > 0 {
		return // the cause knows it
	}
	if x.p.Activity != nil {
		for _, k := range x.p.Activity.Parks {
			if at(k.Place) {
				f.Waiting += k.Seconds
			}
		}
	}
	if f.Waiting == 0 {
		add(x.p.Block, &f.Waiting)
	}
	if f.Waiting == 0 {
		add(x.p.Mutex, &f.Waiting)
	}
}
