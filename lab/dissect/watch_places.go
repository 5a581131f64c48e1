package dissect

import (
	"cmp"
	"slices"
	"strings"

	exptrace "golang.org/x/exp/trace"
)

type spawnKey struct {
	place Place
	entry string
}

type parkKey struct {
	place  Place
	reason string
}

type spawning struct {
	Spawn
	now  int
	runs durations
}

type parking struct {
	Park
	fresh durations
	of    map[*spawning]float64
}

// born notes which line started a goroutine. If its own package started it, without
// any of the user's code above, that is the innermost line outside the runtime.
func (w *watch) born(g *goroutine, creator, first exptrace.Stack) {
	stack := w.places(creator)
	if len(stack) == 0 {
		return
	}
	place, _ := w.placeOf(stack)
	entry := unwrapped(outermost(first))
	if strings.HasPrefix(entry, "testing.") || strings.HasPrefix(place.Func, "testing.") {
		return // the goroutine of a benchmark
	}
	g.site = &site{key: spawnKey{place, entry}, stack: stack}
	g.spawn = w.spawnOf(g.site)
	g.spawn.enter()
	if w.within {
		g.inside = true
		g.spawn.Goroutines++
	}
}

func (s *spawning) enter() {
	s.now++
	s.Peak = max(s.Peak, s.now)
}

// leave removes a goroutine, whose start may be unknown.
func (s *spawning) leave() {
	if s != nil {
		s.now--
	}
}

func (w *watch) spawnOf(at *site) *spawning {
	s := w.spawns[at.key]
	if s == nil {
		s = &spawning{Spawn: Spawn{Place: at.key.place, Entry: at.key.entry, Stack: at.stack, Waits: map[string]Wait{}}, runs: durations{}}
		w.spawns[at.key] = s
	}
	return s
}

// parked counts that a goroutine waits. Waits outside the user's code, in a
// goroutine that the testing package or main began, are left out: they wait for the
// benchmark.
func (w *watch) parked(g *goroutine, reason string, at exptrace.Stack) {
	g.why = reason
	if s := g.spawn; s != nil {
		v := s.Waits[reason]
		v.Times++
		s.Waits[reason] = v
	}
	stack := w.places(at)
	if len(stack) == 0 {
		return
	}
	place, users := w.placeOf(stack)
	if !users && strings.HasPrefix(place.Func, "testing.") || strings.Contains(place.Func, "."+Recorder) {
		return
	}
	key := parkKey{place, reason}
	p := w.parks[key]
	if p == nil {
		p = &parking{Park: Park{Place: place, Stack: stack, Reason: reason}, fresh: durations{}, of: map[*spawning]float64{}}
		w.parks[key] = p
	}
	p.Times++
	p.fresh.add(g.fresh)
	if g.spawn != nil {
		p.of[g.spawn]++
	}
	if !slices.Contains(g.been, p) {
		p.Goroutines++
		g.been = append(g.been, p)
	}
	g.at = p
}

// placeOf returns the innermost line in the user's code, or otherwise outside
// the runtime.
func (w *watch) placeOf(stack []Place) (place Place, users bool) {
	if p, ok := w.user.Innermost(stack); ok {
		return p, true
	}
	for _, p := range stack {
		if !ofRuntime(p.Func) && !strings.HasPrefix(p.Func, "sync.") {
			return p, false
		}
	}
	return stack[len(stack)-1], false
}

// deepest is how much of a stack is kept: the callers of a line are useful, a
// whole recursion is not.
const deepest = 32

// places returns the lines of a stack, callees first.
func (w *watch) places(s exptrace.Stack) []Place {
	if all, known := w.stacks[s]; known {
		return all
	}
	var all []Place
	for f := range s.Frames() {
		if len(all) < deepest {
			all = append(all, placeOf(f.Func, f.File, int(f.Line)))
		}
	}
	w.stacks[s] = all
	return all
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Func, b.Func))
}
