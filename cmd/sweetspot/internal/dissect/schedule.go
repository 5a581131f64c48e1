package dissect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/trace"
	"strings"
	"sync"
	"time"

	exptrace "golang.org/x/exp/trace"
)

// A Schedule says what the scheduler did during the runs, each figure for one
// run. Times of goroutines are of those that ran during the run, and are sums: two
// that wait for a second make two seconds. The goroutines of the runtime itself
// are counted apart.
type Schedule struct {
	Wall    float64 `json:"wall_seconds"`
	Created float64 `json:"created"` // goroutines

	Running  float64 `json:"running_seconds"`
	Runnable float64 `json:"runnable_seconds"`
	Waiting  float64 `json:"waiting_seconds"`
	Syscall  float64 `json:"syscall_seconds"`

	Started   float64            `json:"started"`   // runnable to running
	Preempted float64            `json:"preempted"` // running to runnable
	Blocked   float64            `json:"blocked"`   // running to waiting
	Calls     float64            `json:"calls"`     // running to a system call
	Reasons   map[string]float64 `json:"reasons"`   // how often goroutines blocked, by why

	// Shares of the time of all Ps: running the goroutines of the work, those of
	// the runtime, neither (switching, looking for work, in short system calls),
	// idle.
	OnWork    float64 `json:"on_work"`
	OnRuntime float64 `json:"on_runtime"`
	Between   float64 `json:"between"`
	Idle      float64 `json:"idle"`

	Marking float64 `json:"marking_seconds"` // during which the collector marked
	Assists float64 `json:"assists_seconds"` // during which goroutines assisted it, a sum, with what they waited for CPUs and each other
	Stopped float64 `json:"stopped_seconds"` // during which the world was stopped

	Cut bool `json:"cut,omitempty"` // the trace was ended before the run
}

// runRegion marks the runs in a trace.
const runRegion = "sweetspot.run"

// traceMost is the number of bytes of a trace at which it is ended: some millions of
// events, read within seconds.
const traceMost = 48 << 20

func traceRuns(ctx context.Context, out io.Writer, w Work, least time.Duration, most int) (Facts, error) {
	full := &limited{w: out, left: most, full: make(chan struct{})}
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { // before the trace, lest it shows there
		select {
		case <-full.full:
		case <-done:
		}
		trace.Stop()
	})
	if err := trace.Start(full); err != nil {
		close(done)
		return Facts{}, err
	}
	f, err := w.repeat(ctx, func() error {
		defer trace.StartRegion(ctx, runRegion).End()
		return w.Run()
	}, least)
	close(done)
	watch.Wait()
	f.Cut = full.left < 0
	return f, errors.Join(err, full.err)
}

// limited passes everything on, and says when it was much.
type limited struct {
	w    io.Writer
	left int
	full chan struct{}
	err  error
}

func (l *limited) Write(p []byte) (int, error) {
	before := l.left
	l.left -= len(p)
	if before >= 0 && l.left < 0 {
		close(l.full)
	}
	n, err := l.w.Write(p)
	if err != nil && l.err == nil {
		l.err = err
	}
	return n, err
}

func openSchedule(path string, f Facts) (*Schedule, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := readSchedule(file, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readSchedule sums a trace up over the regions of the runs. It reads twice: which
// goroutines are the runtime's shows only where a stack is recorded.
func readSchedule(in io.ReadSeeker, f Facts) (*Schedule, error) {
	ofRuntime := map[exptrace.GoID]bool{}
	err := eachEvent(in, func(e exptrace.Event) {
		if e.Kind() != exptrace.EventStateTransition {
			return
		}
		tr := e.StateTransition()
		if tr.Resource.Kind != exptrace.ResourceGoroutine {
			return
		}
		if first := outermost(tr.Stack); first != "" {
			// One stack outside the runtime decides: a goroutine of the work that
			// is preempted at its end (runtime.goexit1) has left its functions.
			id := tr.Resource.Goroutine()
			runs, seen := ofRuntime[id]
			ofRuntime[id] = runsRuntime(first) && (runs || !seen)
		}
	})
	if err != nil {
		return nil, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	t := &tally{
		Schedule:   Schedule{Reasons: map[string]float64{}, Cut: f.Cut},
		ofRuntime:  ofRuntime,
		goroutines: map[exptrace.GoID]*goroutine{},
		procs:      map[exptrace.ProcID]*proc{},
		ranges:     map[rangeKey]exptrace.Time{},
	}
	if err := eachEvent(in, t.add); err != nil {
		return nil, err
	}
	if t.within {
		t.end(t.last)
	}
	if t.runs == 0 {
		return nil, errors.New("reading a trace: there is no run in it")
	}
	return t.sum(f), nil
}

func eachEvent(in io.Reader, f func(exptrace.Event)) error {
	r, err := exptrace.NewReader(in)
	if err != nil {
		return fmt.Errorf("reading a trace: %w", err)
	}
	for {
		e, err := r.ReadEvent()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a trace: %w", err)
		}
		f(e)
	}
}

// outermost returns the function that a goroutine began with.
func outermost(s exptrace.Stack) string {
	first := ""
	for f := range s.Frames() {
		first = f.Func
	}
	return first
}

// runsRuntime reports whether a goroutine that begins with a function is one of
// the runtime, or of the instrument.
func runsRuntime(first string) bool {
	return strings.HasPrefix(first, "runtime.") && first != "runtime.main" ||
		strings.HasPrefix(first, "runtime/trace.") || strings.HasPrefix(first, "runtime/pprof.") ||
		strings.Contains(first, "."+Recorder)
}

// A tally follows the states of goroutines and Ps through a trace.
type tally struct {
	Schedule
	ofRuntime  map[exptrace.GoID]bool
	goroutines map[exptrace.GoID]*goroutine
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

func (t *tally) moved(tr exptrace.StateTransition, at exptrace.Time) {
	id := tr.Resource.Goroutine()
	from, to := tr.Goroutine()
	g := t.goroutines[id]
	if g == nil {
		g = &goroutine{since: at, runtime: t.ofRuntime[id]}
		t.goroutines[id] = g
	}
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
		if reason == "" {
			reason = "unknown"
		}
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

// sum returns the figures of one run.
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

// scale turns the sums over so many runs into those of one.
func (s *Schedule) scale(runs float64) {
	for _, v := range []*float64{
		&s.Wall, &s.Created, &s.Running, &s.Runnable, &s.Waiting, &s.Syscall,
		&s.Started, &s.Preempted, &s.Blocked, &s.Calls, &s.Marking, &s.Assists, &s.Stopped,
	} {
		*v /= runs
	}
	for why := range s.Reasons {
		s.Reasons[why] /= runs
	}
}
