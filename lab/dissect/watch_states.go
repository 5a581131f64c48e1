package dissect

import (
	"cmp"
	"strings"

	exptrace "golang.org/x/exp/trace"
)

type goroutine struct {
	state   exptrace.GoState
	since   exptrace.Time
	spare   float64 // s, until since, in which a CPU ran nothing
	runtime bool    // one of its own
	ran     bool    // in the window
	spent   [exptrace.GoSyscall + 1]float64

	site   *site
	spawn  *spawning // nil if its start is unknown
	inside bool      // it was started in the window
	run    float64   // s, in all
	fresh  float64   // s, since it last waited
	at     *parking  // where it waits
	woken  *parking  // where it has waited until it became ready
	why    string
	been   []*parking // where it has waited
}

type proc struct {
	running bool
	since   exptrace.Time
}

// A rangeKey distinguishes ranges of one name, which several goroutines may
// have.
type rangeKey struct {
	name  string
	scope exptrace.ResourceID
}

// begin begins a window.
func (w *watch) begin(at exptrace.Time) {
	w.within, w.began = true, at
	for _, g := range w.goroutines {
		g.since, g.spare, g.ran, g.spent = at, w.spareUntil(at), g.state == exptrace.GoRunning, [len(g.spent)]float64{}
	}
	for _, p := range w.procs {
		p.since = at
	}
	for key := range w.ranges {
		w.ranges[key] = at
	}
}

// end ends the window, if there is one.
func (w *watch) end(at exptrace.Time) {
	if !w.within {
		return
	}
	for _, g := range w.goroutines {
		w.stay(g, at)
		w.close(g)
	}
	for _, p := range w.procs {
		w.procRan(p, at)
	}
	for key := range w.ranges {
		w.ranged(key, at)
	}
	w.Wall += at.Sub(w.began).Seconds()
	w.runs++
	w.within = false
}

// close counts a goroutine whose window, or life, has ended.
func (w *watch) close(g *goroutine) {
	if g.runtime {
		w.onRuntime += g.spent[exptrace.GoRunning]
	} else if g.ran {
		w.onWork += g.spent[exptrace.GoRunning]
		w.Running += g.spent[exptrace.GoRunning]
		w.Runnable += g.spent[exptrace.GoRunnable]
		w.Waiting += g.spent[exptrace.GoWaiting]
		w.Syscall += g.spent[exptrace.GoSyscall]
	}
}

// stay counts what a goroutine did since its last change.
func (w *watch) stay(g *goroutine, at exptrace.Time) {
	took, spare := at.Sub(g.since).Seconds(), w.spareUntil(at)
	idle := spare - g.spare
	g.since, g.spare = at, spare
	g.spent[g.state] += took
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
	switch {
	case g.state == exptrace.GoWaiting && g.at != nil:
		g.at.Seconds += took
	case g.state == exptrace.GoRunnable && g.woken != nil:
		g.woken.Waking += idle
	}
}

// moved takes a goroutine, which may be new, from one state to the next.
func (w *watch) moved(e event, tr exptrace.StateTransition) {
	id, at := tr.Resource.Goroutine(), e.Time()
	from, to := tr.Goroutine()
	g := w.goroutines[id]
	if g == nil {
		g = &goroutine{runtime: w.own[id]}
		w.goroutines[id] = g
	}
	if from == exptrace.GoNotExist && !g.runtime {
		w.born(g, e.Stack(), tr.Stack)
	}
	if g.state == exptrace.GoUndetermined {
		g.since = at
	}
	w.stay(g, at)
	if w.within {
		g.ran = g.ran || to == exptrace.GoRunning
		if !g.runtime {
			w.count(g, from, to, tr)
		}
	}
	if g.state == exptrace.GoRunning {
		w.onCPU--
	}
	if to == exptrace.GoRunning {
		w.onCPU++
	}
	g.state = to
	if from != to { // else a new part of the trace says it again
		g.woken = nil
		if from == exptrace.GoWaiting {
			g.at, g.woken = nil, g.at
		}
	}
	switch to {
	case exptrace.GoWaiting:
		g.fresh = 0
	case exptrace.GoNotExist:
		if w.within {
			if s := g.spawn; s != nil && g.inside {
				s.Ended++
				s.runs.add(g.run)
			}
			w.close(g)
		}
		g.spawn.leave()
		delete(w.goroutines, id)
	}
}

func (w *watch) count(g *goroutine, from, to exptrace.GoState, tr exptrace.StateTransition) {
	switch {
	case from == exptrace.GoNotExist:
		w.Created++
	case from == exptrace.GoRunnable && to == exptrace.GoRunning:
		w.Started++
		if g.spawn != nil {
			g.spawn.Starts++
		}
	case from == exptrace.GoRunning && to == exptrace.GoRunnable:
		w.Preempted++
	case from == exptrace.GoRunning && to == exptrace.GoWaiting:
		w.Blocked++
		reason := cmp.Or(tr.Reason, "unknown")
		w.Reasons[reason]++
		w.parked(g, reason, tr.Stack)
	case from == exptrace.GoRunning && to == exptrace.GoSyscall:
		w.Calls++
	}
}

func (w *watch) switched(tr exptrace.StateTransition, at exptrace.Time) {
	w.spareUntil(at)
	id := tr.Resource.Proc()
	p := w.procs[id]
	if p == nil {
		p = &proc{since: at}
		w.procs[id] = p
	}
	w.procRan(p, at)
	_, to := tr.Proc()
	p.running = to == exptrace.ProcRunning
	if to == exptrace.ProcNotExist {
		delete(w.procs, id)
	}
}

// spareUntil returns the time until then in which a CPU ran no goroutine.
func (w *watch) spareUntil(at exptrace.Time) float64 {
	if w.onCPU < len(w.procs) {
		w.spare += at.Sub(w.spareAt).Seconds()
	}
	w.spareAt = at
	return w.spare
}

func (w *watch) procRan(p *proc, at exptrace.Time) {
	if p.running && w.within {
		w.procTime += at.Sub(p.since).Seconds()
	}
	p.since = at
}

// ranged counts a range that has ended, or is cut by the end of a window.
func (w *watch) ranged(key rangeKey, at exptrace.Time) {
	began, known := w.ranges[key]
	if !w.within || !known {
		return
	}
	took := at.Sub(began).Seconds()
	switch {
	case key.name == "GC concurrent mark phase":
		w.Marking += took
	case key.name == "GC mark assist":
		w.Assists += took
	case strings.HasPrefix(key.name, "stop-the-world"):
		w.Stopped += took
	}
}
