package dissect

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	watch.Go(func() { // before the trace, which would show it
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

// limited passes everything on, and closes full once that was more than left bytes.
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

// openSchedule sums up a trace over the regions of the runs, and returns the figures of
// one run.
func openSchedule(path string, f Facts) (*Schedule, error) {
	t := Tracing{Files: []string{path}, Window: recorded, Procs: f.Procs, Cut: f.Cut}
	w, err := t.watched(nil)
	if err != nil {
		return nil, err
	}
	a, err := w.sum()
	if err != nil {
		return nil, err
	}
	a.scale(float64(w.runs))
	return a.Schedule, nil
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

// ofInstrument reports whether a function is of what records.
func ofInstrument(name string) bool {
	return strings.HasPrefix(name, "runtime/trace.") || strings.HasPrefix(name, "runtime/pprof.") ||
		strings.Contains(name, "."+Recorder)
}

// scale turns the sums over the runs into those of one.
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
