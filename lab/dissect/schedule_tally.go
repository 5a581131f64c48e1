package dissect

import (
	"cmp"
	"strings"

	exptrace "golang.org/x/exp/trace"
)

// A tally follows the states of goroutines and Ps through a trace.
type tally struct {
	Schedule
	ofRuntime  map[goID]bool
	goroutines map[goID]*goroutine
	procs      map[exptrace.ProcID]*proc
	ranges     map[rangeKey]exptrace.Time

	within      bool // a run
	began, last exptrace.Time
	runs        int
	procTime    float64
	onWork      float64
	onRuntime   float64
}

type goroutine struct {
	state   exptrace.GoState
	since   exptrace.Time
	runtime bool // one of its own
	ran     bool // during this run
	spent   [exptrace.GoSyscall + 1]float64
	life
}

type proc struct {
	running bool
	since   exptrace.Time
}

// A rangeKey tells ranges of one name apart, which several goroutines may have.
type rangeKey struct {
	name  string
	scope exptrace.ResourceID
}

func newTally(ofRuntime map[goID]bool) *tally {
	return &tally{
		ofRuntime:  ofRuntime,
		goroutines: map[goID]*goroutine{},
		procs:      map[exptrace.ProcID]*proc{},
		ranges:     map[rangeKey]exptrace.Time{},
	}
}

func (t *tally) add(e exptrace.Event) {
	t.last = e.Time()
	switch e.Kind() {
	case exptrace.EventRegionBegin:
		if e.Region().Type == runRegion {
			t.begin(e.Time())
		}
	case exptrace.EventRegionEnd:
		if e.Region().Type == runRegion && t.within {
			t.end(e.Time())
		}
	case exptrace.EventRangeBegin, exptrace.EventRangeActive:
		key := rangeKey{e.Range().Name, e.Range().Scope}
		if _, known := t.ranges[key]; !known {
			t.ranges[key] = e.Time()
		}
	case exptrace.EventRangeEnd:
		key := rangeKey{e.Range().Name, e.Range().Scope}
		t.ranged(key, e.Time())
		delete(t.ranges, key)
	case exptrace.EventStateTransition:
		switch tr := e.StateTransition(); tr.Resource.Kind {
		case exptrace.ResourceGoroutine:
			t.moved(tr, e.Time())
		case exptrace.ResourceProc:
			t.switched(tr, e.Time())
		}
	}
}

func (t *tally) begin(at exptrace.Time) {
	t.within, t.began = true, at
	for _, g := range t.goroutines {
		g.since, g.ran, g.spent = at, g.state == exptrace.GoRunning, [len(g.spent)]float64{}
	}
	for _, p := range t.procs {
		p.since = at
	}
	for key := range t.ranges {
		t.ranges[key] = at
	}
}

func (t *tally) end(at exptrace.Time) {
	for _, g := range t.goroutines {
		g.stay(at)
		t.close(g)
	}
	for _, p := range t.procs {
		t.procRan(p, at)
	}
	for key := range t.ranges {
		t.ranged(key, at)
	}
	t.Wall += at.Sub(t.began).Seconds()
	t.runs++
	t.within = false
}

// close counts a goroutine whose run, or life, has ended.
func (t *tally) close(g *goroutine) {
	if g.runtime {
		t.onRuntime += g.spent[exptrace.GoRunning]
	} else if g.ran {
		t.onWork += g.spent[exptrace.GoRunning]
		t.Running += g.spent[exptrace.GoRunning]
		t.Runnable += g.spent[exptrace.GoRunnable]
		t.Waiting += g.spent[exptrace.GoWaiting]
		t.Syscall += g.spent[exptrace.GoSyscall]
	}
}

// stay counts the time since the last change.
func (g *goroutine) stay(at exptrace.Time) {
	g.spent[g.state] += at.Sub(g.since).Seconds()
	g.since = at
}

// goroutine returns the one with that ID, which may be new.
func (t *tally) goroutine(id goID, at exptrace.Time) *goroutine {
	g := t.goroutines[id]
	if g == nil {
		g = &goroutine{since: at, runtime: t.ofRuntime[id]}
		t.goroutines[id] = g
	}
	return g
}

func (t *tally) moved(tr exptrace.StateTransition, at exptrace.Time) {
	id := tr.Resource.Goroutine()
	from, to := tr.Goroutine()
	g := t.goroutine(id, at)
	if t.within {
		g.stay(at)
		g.ran = g.ran || to == exptrace.GoRunning
		if !g.runtime {
			t.count(from, to, tr.Reason)
		}
	}
	g.state, g.since = to, at
	if to == exptrace.GoNotExist {
		if t.within {
			t.close(g)
		}
		delete(t.goroutines, id)
	}
}

func (t *tally) count(from, to exptrace.GoState, reason string) {
	switch {
	case from == exptrace.GoNotExist:
		t.Created++
	case from == exptrace.GoRunnable && to == exptrace.GoRunning:
		t.Started++
	case from == exptrace.GoRunning && to == exptrace.GoRunnable:
		t.Preempted++
	case from == exptrace.GoRunning && to == exptrace.GoWaiting:
		t.Blocked++
		reason = cmp.Or(reason, "unknown")
		t.Reasons[reason]++
	case from == exptrace.GoRunning && to == exptrace.GoSyscall:
		t.Calls++
	}
}

func (t *tally) switched(tr exptrace.StateTransition, at exptrace.Time) {
	p := t.procs[tr.Resource.Proc()]
	if p == nil {
		p = &proc{since: at}
		t.procs[tr.Resource.Proc()] = p
	}
	if t.within {
		t.procRan(p, at)
	}
	_, to := tr.Proc()
	p.running, p.since = to == exptrace.ProcRunning, at
}

func (t *tally) procRan(p *proc, at exptrace.Time) {
	if p.running {
		t.procTime += at.Sub(p.since).Seconds()
	}
	p.since = at
}

// ranged counts a range that has ended, or is cut by the end of a run.
func (t *tally) ranged(key rangeKey, at exptrace.Time) {
	began, known := t.ranges[key]
	if !t.within || !known {
		return
	}
	took := at.Sub(began).Seconds()
	switch {
	case key.name == "GC concurrent mark phase":
		t.Marking += took
	case key.name == "GC mark assist":
		t.Assists += took
	case strings.HasPrefix(key.name, "stop-the-world"):
		t.Stopped += took
	}
}

func (t *tally) sum(f Facts) *Schedule {
	s := t.Schedule
	if whole := s.Wall * float64(f.Procs); whole > 0 {
		s.OnWork, s.OnRuntime = t.onWork/whole, t.onRuntime/whole
		s.Between = max(t.procTime-t.onWork-t.onRuntime, 0) / whole
		s.Idle = max(1-s.OnWork-s.OnRuntime-s.Between, 0)
	}
	s.scale(float64(t.runs))
	return &s
}
