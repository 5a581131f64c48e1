package dissect

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// A Weighing says what a profile found, by line. Amount is seconds of CPU time, bytes,
// or seconds of waiting; Count is samples, objects, or waits; of goroutines both are their
// number. Each figure is for one operation.
type Weighing struct {
	Samples int               `json:"samples"` // in all, not for one operation: how far shares can be trusted
	All     Cost              `json:"all"`
	Groups  map[Group]float64 `json:"groups,omitempty"` // shares of All.Amount; of CPU time alone
	Lines   []Weight          `json:"lines"`            // those of the user's code, by Own.Amount, then Through.Amount, most first
}

// A Weight is what one line of the user's code costs.
type Weight struct {
	Place Place `json:"place"`
	// Self is what the line itself costs, without what it calls; Own adds what it calls
	// outside of the user's code: the runtime, the standard library, other modules.
	// Through is all that happens below it.
	Self    Cost `json:"self"`
	Own     Cost `json:"own"`
	Through Cost `json:"through"`
	// Spawned is the part of Own in goroutines that neither the runtime nor the testing
	// package started.
	Spawned Cost `json:"spawned"`
	// Groups divides Own.Amount, of CPU time alone: it has seconds, and no shares.
	Groups map[Group]float64 `json:"groups,omitempty"`
	// Inlined are functions whose code the compiler put into the line: a sample of their last
	// instruction may be one of the line.
	Inlined []string `json:"-"`
}

// A Cost is what a profile counts, and what it measures.
type Cost struct {
	Count  float64 `json:"count"`
	Amount float64 `json:"amount"`
}

func (c *Cost) add(o Cost) { c.Count += o.Count; c.Amount += o.Amount }

// kinds are the profiles that can be weighed: how they name what they count and
// measure, and how many of their units make one.
var kinds = map[Instrument]struct {
	count, amount string
	units         float64
}{
	CPU:    {"samples", "cpu", 1e9},
	Allocs: {"alloc_objects", "alloc_space", 1},
	Mutex:  {"contentions", "delay", 1e9},
	Block:  {"contentions", "delay", 1e9},

	Goroutines: {"goroutine", "goroutine", 1},
	Leaks:      {"goroutineleak", "goroutineleak", 1},
}

// A Sampling is a profile of some operations, in one file or in several.
type Sampling struct {
	Files []string
	Base  []string // profiles of what is not of these operations, and is taken off
	Ops   float64
}

// Weigh reads a profile and sums it up by lines of the user's code. What the profile
// does for itself is left out.
func Weigh(i Instrument, of Sampling, user Scope) (*Weighing, error) {
	kind, known := kinds[i]
	if !known {
		return nil, fmt.Errorf("there is nothing to weigh by the instrument %q: want cpu, allocs, mutex, block, goroutine or goroutineleak", i)
	}
	if of.Ops <= 0 {
		return nil, fmt.Errorf("the profile is of %g operations", of.Ops)
	}
	w := weigher{Weighing: Weighing{Lines: []Weight{}}, user: user, lines: map[Place]*Weight{}}
	if i == CPU {
		w.Groups = map[Group]float64{}
	}
	for at, path := range slices.Concat(of.Files, of.Base) {
		raw, err := parseProfile(path)
		if err != nil {
			return nil, err
		}
		count, amount := columnOf(raw, kind.count), columnOf(raw, kind.amount)
		if count < 0 || amount < 0 {
			return nil, fmt.Errorf("%s: it is not a profile by the instrument %s: it has not both %s and %s", path, i, kind.count, kind.amount)
		}
		sign := 1.0
		if at >= len(of.Files) {
			sign = -1
		}
		for _, s := range raw.Sample {
			if sign > 0 {
				w.Samples += int(s.Value[count])
			}
			w.add(placesOf(s), Cost{sign * float64(s.Value[count]), sign * float64(s.Value[amount])})
			w.inline(s)
		}
	}
	return w.sum(1/of.Ops, 1/kind.units/of.Ops), nil
}

func parseProfile(path string) (*profile.Profile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	raw, err := profile.Parse(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return raw, nil
}

func columnOf(raw *profile.Profile, name string) int {
	return slices.IndexFunc(raw.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
}

// placesOf returns the lines of a sample, callees first, those of inlined functions
// too.
func placesOf(s *profile.Sample) []Place {
	var stack []Place
	for _, l := range s.Location {
		for _, line := range l.Line {
			stack = append(stack, placeOf(line.Function.Name, line.Function.Filename, int(line.Line)))
		}
	}
	// A signal that preempts and one that samples often come together, at the same
	// tick of the kernel's clock. The sample is then at the entry of asyncPreempt,
	// where the first signal has put it. But asyncPreempt takes no time; the
	// interrupted code does.
	if len(stack) > 1 && stack[0].Func == "runtime.asyncPreempt" {
		stack = stack[1:]
	}
	// An atomic operation is an instruction of the line that has it, in a lock or in the
	// user's code.
	for len(stack) > 1 && strings.HasPrefix(stack[0].Func, "sync/atomic.") {
		stack = stack[1:]
	}
	return stack
}

func functionsOf(stack []Place) []string {
	names := make([]string, len(stack))
	for i, p := range stack {
		names[i] = p.Func
	}
	return names
}

type weigher struct {
	Weighing
	user  Scope
	lines map[Place]*Weight
}

func (w *weigher) add(stack []Place, c Cost) {
	if len(stack) == 0 || w.ofInstrument(stack) {
		return
	}
	w.All.add(c)
	group := Group("")
	if w.Groups != nil {
		group = groupOf(functionsOf(stack))
		w.Groups[group] += c.Amount
	}
	own := true
	for i, p := range stack {
		if !w.user.Has(p) || slices.Contains(stack[:i], p) {
			continue
		}
		l := w.lines[p]
		if l == nil {
			l = &Weight{Place: p}
			w.lines[p] = l
		}
		l.Through.add(c)
		if i == 0 {
			l.Self.add(c)
		}
		if own {
			own = false
			l.Own.add(c)
			if spawned(stack) {
				l.Spawned.add(c)
			}
			if group != "" {
				if l.Groups == nil {
					l.Groups = map[Group]float64{}
				}
				l.Groups[group] += c.Amount
			}
		}
	}
}

// inline notes which functions a sample shows to be inlined, and where.
func (w *weigher) inline(s *profile.Sample) {
	for _, l := range s.Location {
		for i := 1; i < len(l.Line); i++ {
			name := unwrapped(l.Line[i-1].Function.Name)
			line := w.lines[placeOf(l.Line[i].Function.Name, l.Line[i].Function.Filename, int(l.Line[i].Line))]
			if line != nil && !slices.Contains(line.Inlined, name) {
				line.Inlined = append(line.Inlined, name)
			}
		}
	}
}

// ofInstrument reports whether a stack is of what records, or of what the testing
// package does for itself, such as to wait for the benchmark.
func (w *weigher) ofInstrument(stack []Place) bool {
	if slices.ContainsFunc(stack, func(p Place) bool { return ofInstrument(p.Func) }) {
		return true
	}
	for _, p := range stack {
		switch {
		case w.user.Has(p):
			return false
		case strings.HasPrefix(p.Func, "testing."):
			return true
		}
	}
	return false
}

// spawned reports whether a stack is of a goroutine that neither the runtime nor the
// testing package started. Those of RunParallel count, because they run the user's code
// at the same time. A stack that is too deep to be whole does not show who
// started its goroutine.
func spawned(stack []Place) bool {
	first := stack[len(stack)-1].Func
	if first == "runtime.goexit" && len(stack) > 1 {
		first = stack[len(stack)-2].Func
	}
	if strings.HasPrefix(first, "testing.") {
		return strings.HasPrefix(first, "testing.(*B).RunParallel.")
	}
	return !ofRuntime(first) && first != "main.main"
}

// sum closes the sums. If more was subtracted than there was, as happens by chance with
// samples, nothing is left. Counts and amounts are whole numbers until they are scaled.
func (w *weigher) sum(count, amount float64) *Weighing {
	scale := func(c *Cost) { *c = Cost{max(c.Count, 0) * count, max(c.Amount, 0) * amount} }
	scale(&w.All)
	var groups float64
	for g, v := range w.Groups {
		w.Groups[g] = max(v, 0)
		groups += w.Groups[g]
	}
	for g := range w.Groups {
		if groups > 0 {
			w.Groups[g] /= groups
		}
	}
	var own Cost
	for _, l := range w.lines {
		for _, c := range []*Cost{&l.Self, &l.Own, &l.Through, &l.Spawned} {
			scale(c)
		}
		for g, v := range l.Groups {
			l.Groups[g] = max(v, 0) * amount
		}
		if l.Through != (Cost{}) {
			w.Lines = append(w.Lines, *l)
		}
		own.add(l.Own)
	}
	w.All = Cost{max(w.All.Count, own.Count), max(w.All.Amount, own.Amount)}
	slices.SortFunc(w.Lines, func(a, b Weight) int {
		return cmp.Or(cmp.Compare(b.Own.Amount, a.Own.Amount), cmp.Compare(b.Through.Amount, a.Through.Amount), comparePlaces(a.Place, b.Place))
	})
	return &w.Weighing
}

// Line returns the weight of a line, all its functions together: a line of a generic
// function, or of one with literals in it, has several. It is zero if nothing was
// found there.
func (w *Weighing) Line(file string, line int) Weight {
	sum := Weight{Place: Place{File: file, Line: line}}
	if w == nil {
		return sum
	}
	for _, l := range w.Lines {
		if l.Place.File != file || l.Place.Line != line {
			continue
		}
		sum.Place = l.Place
		sum.Self.add(l.Self)
		sum.Own.add(l.Own)
		sum.Through.add(l.Through)
		sum.Spawned.add(l.Spawned)
		for g, v := range l.Groups {
			if sum.Groups == nil {
				sum.Groups = map[Group]float64{}
			}
			sum.Groups[g] += v
		}
	}
	return sum
}
