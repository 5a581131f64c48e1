package semaphore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/sweetspot-go/sweetspot/acceptance/semaphore/schedule"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/limit"
)

var long = flag.Bool("long", false, "explore the larger programs as well")

// programs are explored in every order of their steps.
var programs = []struct {
	program
	long bool
}{
	{program{1, "ar ar"}, false},
	{program{1, "hr ar tr"}, false},
	{program{1, "hr cr x"}, false},
	{program{1, "hk ar q"}, false},
	{program{1, "h ar 2"}, false},
	{program{1, "h a a 3"}, false},
	{program{1, "hr ar 2"}, false},
	{program{1, "hr m ar"}, false},
	{program{1, "m tr q"}, false},
	{program{1, "m tr tr"}, false},
	{program{1, "hr cr x tr"}, false},
	{program{1, "hr ar ar"}, false},
	{program{2, "hnr hr 1"}, false},
	{program{2, "hr tr 1l"}, false},
	{program{2, "h ltr 1"}, false},
	{program{1, "h ar ar 3"}, true},
	{program{1, "hr ar cr x"}, true},
	{program{1, "hr cr cr x"}, true},
	{program{1, "hr irir x tr"}, true},
	{program{1, "hrar ar ar"}, true},
	{program{1, "hnr ar 2"}, true},
	{program{2, "hnr hnr 1"}, true},
	{program{2, "hr hr 1 tr"}, true},
	{program{1, "m tr ar"}, true},
}

// TestInterleavings compiles limit under the control of a schedule, and has [TestExplore]
// and [TestMutants] run with that. Nothing runs in parallel there, so nothing is left for
// the race detector.
func TestInterleavings(t *testing.T) {
	rerun.Skip(t)
	args := []string{"test", "-vet=off", "-count=1", "-overlay", overlay(t, t.TempDir()), "-run", "^Test(Explore|Mutants)$", "-v", "."}
	if *long {
		args = append(args, "-args", "-long")
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

// under reports whether limit is compiled under the control of a schedule.
func under() bool { return schedule.Controls(func() { limit.New(1) }) }

// TestExplore finds nothing wrong.
func TestExplore(t *testing.T) {
	if !under() {
		t.Skip("see TestInterleavings")
	}
	var all schedule.Stats
	histories := 0
	for _, p := range programs {
		if p.long && !*long {
			continue
		}
		began := time.Now()
		stats, n, err := explore(p.program)
		if err != nil || n == 0 {
			t.Errorf("%+v: %d histories, %v", p.program, n, err)
		}
		t.Logf("limit %d, %-16q %8d states, %9d steps, %6d histories, %.1f s", p.limit, p.text, stats.States, stats.Steps, n, time.Since(began).Seconds())
		all.States += stats.States
		all.Steps += stats.Steps
		histories += n
	}
	t.Logf("in all: %d states, %d steps, %d histories", all.States, all.Steps, histories)
}

// TestMutants finds each.
func TestMutants(t *testing.T) {
	if !under() {
		t.Skip("see TestInterleavings")
	}
	defer func() { schedule.Mutant = 0 }()
	for i, m := range mutants {
		schedule.Mutant = i + 1
		stats, _, err := explore(m.by)
		if err == nil {
			t.Errorf("%s: %q does not find that", m.name, m.by.text)
			continue
		}
		why, _, _ := strings.Cut(err.Error(), "\n")
		t.Logf("%s: found by %q after %d steps: %s", m.name, m.by.text, stats.Steps, why)
	}
}

var errNotAllowed = errors.New("the model does not allow this history")

// explore runs p in every order of its steps. It returns how many histories there are.
func explore(p program) (stats schedule.Stats, histories int, err error) {
	known := map[string]bool{}
	stats, err = schedule.Explore(func() schedule.Program {
		in := &controlled{}
		in.renew()
		s := limit.New(p.limit)
		e := newExecution(p, semaphore{s}, in)
		in.calls = make([]call, len(e.goroutines))
		out := schedule.Program{
			Parked: func(g int) { // who waits is behind those who wait, and before those who come later
				c := in.calls[g]
				seen := call{g: g, i: -c.i - 1} // a call that takes no time
				seen.began = in.begin(seen)
				e.record(seen, nil, event{kind: "waits", waiter: c.waiter()})
			},
			Guarded: any(s).(interface{ Guarded() uint64 }).Guarded,
			Past:    in.past,
			End: func() error {
				history := e.history()
				k := key(history)
				if !known[k] && !e.allowed(history) {
					return fmt.Errorf("%w:%s", errNotAllowed, explain(history))
				}
				known[k] = true
				return nil
			},
		}
		for g := range e.goroutines {
			out.Threads = append(out.Threads, func() { e.run(g) })
		}
		return out
	})
	return stats, len(known), err
}

// key is the same for histories that are.
func key(history []porcupine.Operation) string {
	var b []byte
	for _, op := range history {
		e := op.Input.(event)
		b = append(b, byte(op.Call), byte(op.Return), e.waiter, byte(e.n))
		b = append(b, e.kind...)
		if op.Output != nil {
			b = fmt.Append(b, op.Output)
		}
	}
	return string(b)
}

// controlled is what surrounds goroutines under a schedule.
type controlled struct {
	time    int64
	turn    uint64 // counts the contexts
	ctx     context.Context
	cancel_ context.CancelFunc
	calls   []call // the newest of each goroutine

	// Of the past it matters what has returned, with which result, and what of that each
	// call began after.
	began, ended uint64 // hashes
}

func (c *controlled) begin(by call) int64 {
	c.time++
	c.began += schedule.Mix(uint64(by.g<<8+by.i), c.ended)
	if by.i >= 0 {
		c.calls[by.g] = by
	}
	return c.time
}

func (c *controlled) end(by call, last event, result any) int64 {
	c.time++
	h := uint64(by.g<<8 + by.i)
	for _, b := range fmt.Append([]byte(last.kind), result) {
		h = schedule.Mix(h, uint64(b))
	}
	c.ended += h
	return c.time
}

func (c *controlled) past() uint64 {
	return schedule.Mix(schedule.Mix(c.began, c.ended), c.turn)
}

func (c *controlled) between(_ int, place uint64) {
	schedule.Forget(place)
	schedule.Step()
}

func (c *controlled) context() context.Context {
	schedule.Saw(c.turn)
	return observed{c.ctx}
}

func (c *controlled) cancel() {
	c.cancel_()
	c.renew()
}

func (c *controlled) renew() {
	c.turn++
	c.ctx, c.cancel_ = context.WithCancel(context.Background())
}

// observed is a context whose state is read in a step.
type observed struct{ context.Context }

func (c observed) Err() error {
	schedule.Step()
	err := c.Context.Err()
	if err != nil {
		schedule.Saw(1)
	}
	return err
}

// semaphore is what is checked.
type semaphore struct{ *limit.Semaphore }

func (s semaphore) counts() counts { return countsOf(s.Counters()) }
