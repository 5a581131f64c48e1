package dissect

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	exptrace "golang.org/x/exp/trace"
)

type (
	event = exptrace.Event
	goID  = exptrace.GoID
)

// read hands the events of one of the files to f. The file is whole unless it breaks off
// and may.
func (t Tracing) read(i int, path string, f func(event)) (whole bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if err := eachEvent(file, f); err != nil {
		if t.Partial && i == len(t.Files)-1 {
			return false, nil
		}
		return false, fmt.Errorf("%s: %w", path, err)
	}
	return true, nil
}

// A roll says which goroutines were there when a file began. The file has all of them:
// of those that did nothing the runtime says so in its end.
type roll struct {
	was   map[goID]bool // of those that the file has
	whole bool
}

// gone reports whether a goroutine has ended before the file.
func (r roll) gone(id goID) bool {
	was, has := r.was[id]
	return !was && (has || r.whole)
}

// noteWas learns of an event whether its goroutine was there before the first.
func noteWas(was map[goID]bool, e event) {
	if e.Kind() != exptrace.EventStateTransition {
		return
	}
	if tr := e.StateTransition(); tr.Resource.Kind == exptrace.ResourceGoroutine {
		id := tr.Resource.Goroutine()
		if _, seen := was[id]; !seen {
			from, _ := tr.Goroutine()
			was[id] = from != exptrace.GoNotExist
		}
	}
}

// noteRuntime learns of an event whether its goroutine is one of the runtime. One
// stack outside decides: a goroutine of the work that is preempted at its end
// (runtime.goexit1) has left its functions.
func noteRuntime(own map[goID]bool, e event) {
	if e.Kind() != exptrace.EventStateTransition {
		return
	}
	tr := e.StateTransition()
	if tr.Resource.Kind != exptrace.ResourceGoroutine {
		return
	}
	id := tr.Resource.Goroutine()
	runs, seen := own[id]
	if seen && !runs {
		return
	}
	if first := outermost(tr.Stack); first != "" {
		own[id] = runsRuntime(first) && (runs || !seen)
	}
}

// A watch follows goroutines through a trace, with the lines that started them.
type watch struct {
	*tally
	of     Tracing
	user   Scope
	spawns map[spawnKey]*spawning
	parks  map[parkKey]*parking
	timed  bool                       // a run of the benchmark was seen
	loops  bool                       // and it calls b.Loop
	stacks map[exptrace.Stack][]Place // of the generation of the trace that is read
}

// A life is what else a watch knows of a goroutine.
type life struct {
	site   *site
	spawn  *spawning // nil if nobody knows what started it
	inside bool      // it was started in the window
	run    float64   // s, in all
	fresh  float64   // s, since it last waited
	at     *parking  // where it waits
	why    string
	been   []*parking // where it has waited
}

// A site is a line that starts goroutines.
type site struct {
	key   spawnKey
	stack []Place
}

func newWatch(t Tracing, user Scope, own map[goID]bool) *watch {
	w := &watch{tally: newTally(own), of: t, user: user}
	w.reset()
	return w
}

// reset forgets what was counted, but not who is there.
func (w *watch) reset() {
	w.Schedule = Schedule{Reasons: map[string]float64{}, Cut: w.of.Cut}
	w.procTime, w.onWork, w.onRuntime, w.runs = 0, 0, 0, 0
	w.spawns, w.parks = map[spawnKey]*spawning{}, map[parkKey]*parking{}
	for _, g := range w.goroutines {
		g.at, g.been, g.inside, g.spawn = nil, nil, false, nil
		if g.site != nil {
			g.spawn = w.spawnOf(g.site)
			g.spawn.enter()
		}
	}
}

// open begins a file of the trace.
func (w *watch) open(r roll) {
	for id, g := range w.goroutines {
		if r.gone(id) {
			g.spawn.leave()
			delete(w.goroutines, id)
		}
	}
	w.stacks = map[exptrace.Stack][]Place{}
	clear(w.procs)
	clear(w.ranges)
	// Who is there, and what they do, the file says anew; but of those that wait all the
	// time it says so in its end.
	for _, g := range w.goroutines {
		if g.state != exptrace.GoWaiting {
			g.state = exptrace.GoUndetermined
		}
	}
	w.last = 0
}

// shut ends a file.
func (w *watch) shut() {
	if w.within {
		w.turnOff(w.last)
	}
}

func (w *watch) add(e event) {
	if w.of.Window == Whole && !w.within && e.Kind() != exptrace.EventSync {
		w.begin(e.Time())
	}
	switch e.Kind() {
	case exptrace.EventSync:
		clear(w.stacks)
	case exptrace.EventRangeBegin:
		if w.of.Window == Timed && e.Range().Name == timerRange {
			w.timer(e)
		}
	case exptrace.EventStateTransition:
		if tr := e.StateTransition(); tr.Resource.Kind == exptrace.ResourceGoroutine {
			w.follow(e, tr)
		}
	}
	w.tally.add(e)
}

// timerRange is what the timer of a benchmark leaves in a trace: it reads how much
// was allocated, which stops the world.
const timerRange = "stop-the-world (read mem stats)"

// timer follows the timer of benchmarks. Each run of one begins with a timer that is
// started by the testing package itself.
func (w *watch) timer(e event) {
	caller := ""
	method := ""
	for f := range e.Stack().Frames() {
		if method != "" {
			caller = f.Func
			break
		}
		if m, ok := strings.CutPrefix(f.Func, "testing.(*B)."); ok {
			method = m
		}
	}
	switch method {
	case "StartTimer":
		if caller == "testing.(*B).runN" {
			if w.within {
				w.turnOff(e.Time())
			}
			w.reset()
			w.loops = false
		}
		w.timed = true
		if !w.within {
			w.begin(e.Time())
		}
	case "ResetTimer":
		w.loops = w.loops || strings.HasPrefix(strings.ToLower(caller), "testing.(*b).loop")
		if w.within {
			w.turnOff(e.Time())
			w.reset()
			w.begin(e.Time())
		}
	case "StopTimer":
		if w.within {
			w.turnOff(e.Time())
		}
	}
}

func (w *watch) turnOff(at exptrace.Time) {
	for _, g := range w.goroutines {
		w.stay(g, at)
	}
	w.end(at)
}

// stay counts what a goroutine did since it was last looked at, before the tally does.
func (w *watch) stay(g *goroutine, at exptrace.Time) {
	took := at.Sub(g.since).Seconds()
	if g.state == exptrace.GoRunning {
		g.run += took
		g.fresh += took
	}
	if !w.within || g.runtime {
		return
	}
	if s := g.spawn; s != nil {
		switch g.state {
		case exptrace.GoRunning:
			s.Running += took
		case exptrace.GoRunnable:
			s.Runnable += took
		case exptrace.GoSyscall:
			s.Syscall += took
		case exptrace.GoWaiting:
			s.Waiting += took
			v := s.Waits[g.why]
			v.Seconds += took
			s.Waits[g.why] = v
		}
	}
	if g.state == exptrace.GoWaiting && g.at != nil {
		g.at.Seconds += took
	}
}

// follow takes a goroutine from one state to the next, before the tally does.
func (w *watch) follow(e event, tr exptrace.StateTransition) {
	from, to := tr.Goroutine()
	g := w.goroutine(tr.Resource.Goroutine(), e.Time())
	if from == exptrace.GoNotExist && !g.runtime {
		w.born(g, e.Stack(), tr.Stack)
	}
	if g.state == exptrace.GoUndetermined {
		g.since = e.Time()
	}
	w.stay(g, e.Time())
	if !g.runtime && w.within {
		switch {
		case from == exptrace.GoRunnable && to == exptrace.GoRunning && g.spawn != nil:
			g.spawn.Starts++
		case from == exptrace.GoRunning && to == exptrace.GoWaiting:
			w.parked(g, tr.Reason, tr.Stack)
		}
	}
	if from == exptrace.GoWaiting {
		g.at = nil
	}
	if to == exptrace.GoWaiting {
		g.fresh = 0
	}
	if to == exptrace.GoNotExist {
		if s := g.spawn; s != nil && g.inside && w.within {
			s.Ended++
			s.runs.add(g.run)
		}
		g.spawn.leave()
	}
}

func (w *watch) sum() (*Activity, error) {
	if w.of.Window == Timed && !w.timed {
		return nil, errors.New("reading a trace: no benchmark has run in it")
	}
	if w.Wall == 0 {
		return nil, errors.New("reading a trace: it is empty")
	}
	w.runs = 1 // all that was looked at is one
	a := &Activity{Schedule: w.tally.sum(Facts{Procs: w.of.Procs}), Spawns: []Spawn{}, Parks: []Park{}, Loops: w.loops, Procs: w.of.Procs}
	for _, s := range w.spawns {
		if s.Goroutines == 0 && s.Running+s.Runnable+s.Waiting+s.Syscall == 0 {
			continue
		}
		s.MedianRun = s.runs.median()
		a.Spawns = append(a.Spawns, s.Spawn)
	}
	for _, p := range w.parks {
		p.MedianRun = p.fresh.median()
		for s, n := range p.of {
			p.Of = append(p.Of, Origin{s.Place, n})
		}
		slices.SortFunc(p.Of, func(a, b Origin) int {
			return cmp.Or(cmp.Compare(b.Times, a.Times), comparePlaces(a.Place, b.Place))
		})
		a.Parks = append(a.Parks, p.Park)
	}
	slices.SortFunc(a.Spawns, func(a, b Spawn) int {
		return cmp.Or(cmp.Compare(b.Running+b.Runnable, a.Running+a.Runnable), comparePlaces(a.Place, b.Place), cmp.Compare(a.Entry, b.Entry))
	})
	slices.SortFunc(a.Parks, func(a, b Park) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), comparePlaces(a.Place, b.Place), cmp.Compare(a.Reason, b.Reason))
	})
	return a, nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
