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

// read hands the events of one of the files to f. Only the last file of a partial trace
// may be cut short; whole says that it is not.
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

// A roll says which goroutines existed when a file began. The file names all of them:
// the runtime lists those that did nothing at its end.
type roll struct {
	was   map[goID]bool // of those that the file has
	whole bool
}

// gone reports whether a goroutine has ended before the file.
func (r roll) gone(id goID) bool {
	was, has := r.was[id]
	return !was && (has || r.whole)
}

// note learns from an event whether its goroutine existed before the first, and whether it
// belongs to the runtime. One stack outside the runtime decides: a goroutine of the work that
// is preempted at its end (runtime.goexit1) has left its functions.
func note(was, own map[goID]bool, e event) {
	if e.Kind() != exptrace.EventStateTransition || e.StateTransition().Resource.Kind != exptrace.ResourceGoroutine {
		return
	}
	tr := e.StateTransition()
	id := tr.Resource.Goroutine()
	if _, seen := was[id]; !seen {
		from, _ := tr.Goroutine()
		was[id] = from != exptrace.GoNotExist
	}
	if runs, seen := own[id]; runs || !seen {
		if first := outermost(tr.Stack); first != "" {
			own[id] = strings.HasPrefix(first, "runtime.") && first != "runtime.main" || ofInstrument(first)
		}
	}
}

// A watch follows the states of goroutines and Ps through a trace, with the lines that
// started the goroutines.
type watch struct {
	Schedule   // sums over the windows
	of         Tracing
	user       Scope
	own        map[goID]bool // of the runtime, or of the instrument
	goroutines map[goID]*goroutine
	procs      map[exptrace.ProcID]*proc
	ranges     map[rangeKey]exptrace.Time
	spawns     map[spawnKey]*spawning
	parks      map[parkKey]*parking
	stacks     map[exptrace.Stack][]Place // of the generation of the trace that is read

	within      bool // a window
	began, last exptrace.Time
	runs        int  // windows
	timed       bool // a run of the benchmark was seen
	loops       bool // and it calls b.Loop
	procTime    float64
	onCPU       int     // how many goroutines run
	spare       float64 // s, in which fewer ran than there are CPUs, until spareAt
	spareAt     exptrace.Time
	onWork      float64
	onRuntime   float64
}

// A site is a line that starts goroutines.
type site struct {
	key   spawnKey
	stack []Place
}

func newWatch(t Tracing, user Scope, own map[goID]bool) *watch {
	w := &watch{
		of: t, user: user, own: own,
		goroutines: map[goID]*goroutine{}, procs: map[exptrace.ProcID]*proc{}, ranges: map[rangeKey]exptrace.Time{},
	}
	w.reset()
	return w
}

// reset forgets the counts, but not the goroutines.
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
	w.onCPU = 0
	clear(w.ranges)
	// The file says again which goroutines there are, and what they do; those that wait
	// all the time it lists at its end.
	for _, g := range w.goroutines {
		if g.state != exptrace.GoWaiting {
			g.state = exptrace.GoUndetermined
		}
	}
	w.last = 0
}

func (w *watch) add(e event) {
	if w.of.Window == Whole && !w.within && e.Kind() != exptrace.EventSync {
		w.begin(e.Time())
	}
	w.last = e.Time()
	switch e.Kind() {
	case exptrace.EventSync:
		clear(w.stacks)
	case exptrace.EventRegionBegin:
		if w.of.Window == recorded && e.Region().Type == runRegion {
			w.begin(e.Time())
		}
	case exptrace.EventRegionEnd:
		if w.of.Window == recorded && e.Region().Type == runRegion {
			w.end(e.Time())
		}
	case exptrace.EventRangeBegin, exptrace.EventRangeActive:
		key := rangeKey{e.Range().Name, e.Range().Scope}
		if w.of.Window == Timed && key.name == timerRange && e.Kind() == exptrace.EventRangeBegin {
			w.timer(e)
		}
		if _, known := w.ranges[key]; !known {
			w.ranges[key] = e.Time()
		}
	case exptrace.EventRangeEnd:
		key := rangeKey{e.Range().Name, e.Range().Scope}
		w.ranged(key, e.Time())
		delete(w.ranges, key)
	case exptrace.EventStateTransition:
		switch tr := e.StateTransition(); tr.Resource.Kind {
		case exptrace.ResourceGoroutine:
			w.moved(e, tr)
		case exptrace.ResourceProc:
			w.switched(tr, e.Time())
		}
	}
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
			w.end(e.Time())
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
			w.end(e.Time())
			w.reset()
			w.begin(e.Time())
		}
	case "StopTimer":
		w.end(e.Time())
	}
}

func (w *watch) sum() (*Activity, error) {
	if w.of.Window == Timed && !w.timed {
		return nil, errors.New("reading a trace: no benchmark has run in it")
	}
	if w.of.Window == recorded && w.runs == 0 {
		return nil, fmt.Errorf("%s: reading a trace: it holds no run", w.of.Files[0])
	}
	if w.Wall == 0 {
		return nil, errors.New("reading a trace: it is empty")
	}
	s := w.Schedule
	if whole := s.Wall * float64(w.of.Procs); whole > 0 {
		s.OnWork, s.OnRuntime = w.onWork/whole, w.onRuntime/whole
		s.Between = max(w.procTime-w.onWork-w.onRuntime, 0) / whole
		s.Idle = max(1-s.OnWork-s.OnRuntime-s.Between, 0)
	}
	a := &Activity{Schedule: &s, Spawns: []Spawn{}, Parks: []Park{}, Loops: w.loops, Procs: w.of.Procs}
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
