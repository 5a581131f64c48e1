package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// An order tells a fresh process which point to measure.
type order struct {
	Experiment string `json:"experiment"`
	Point      string `json:"point"`
	Scale      scale  `json:"scale"`
	Size       int    `json:"size"`
	CPUs       int    `json:"cpus"`
	// Record asks for a recording of the runs, in place of their figure.
	Record *recording `json:"record,omitempty"`
}

// A reply is its answer.
type reply struct {
	Figure float64 `json:"figure"`
	aside
}

// An aside is what a run shows beside its figure.
type aside struct {
	Extra  map[string]float64 `json:"extra,omitempty"` // by what a point calls it
	Series []figures.Series   `json:"series,omitempty"`
	Heat   []figures.Heat     `json:"heat,omitempty"`
}

// A sample is the median of runsMost runs, as in the article, or of fewer once
// they have taken runsLast together.
const (
	runsMost = 3
	runsLast = time.Second
)

// They are variables because tests look at no time.
var (
	// Short runs are repeated until they have taken runsLeast together, so that
	// the clock and a single interrupt hardly count.
	runsLeast = 20 * time.Millisecond
	// warmUp is the load before: CPUs raise their clock, and virtual ones get
	// their share, within some milliseconds of work.
	warmUp = 20 * time.Millisecond
)

// Measure does what an order says, and writes the reply.
func Measure(text string, out io.Writer) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("the order is not readable: %w", err)
	}
	e := find(o.Experiment)
	if e == nil {
		return fmt.Errorf("unknown experiment %q", o.Experiment)
	}
	points := e.points(o.Scale)
	i := slices.IndexFunc(points, func(p point) bool { return p.name() == o.Point })
	if i < 0 {
		return fmt.Errorf("experiment %s has no point %q", e.id, o.Point)
	}
	if o.Record != nil {
		return points[i].record(o)
	}
	answer, err := points[i].measure(o)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

func (p *point) measure(o order) (answer reply, err error) {
	err = p.prepared(o, func(t *task) error {
		if answer.Figure, err = t.repeat(); err == nil && t.aside != nil {
			answer.aside = t.aside()
		}
		return err
	})
	return answer, err
}

func (p *point) prepared(o order, f func(t *task) error) error {
	if procs := runtime.GOMAXPROCS(0); procs != o.CPUs {
		return fmt.Errorf("GOMAXPROCS is %d, want %d", procs, o.CPUs)
	}
	t, err := p.set(o.Size)
	if err != nil {
		return err
	}
	if t.figure == nil {
		t.figure = func(took time.Duration) float64 { return took.Seconds() }
	}
	err = f(&t)
	if t.close != nil {
		err = errors.Join(err, t.close())
	}
	return err
}

// repeat returns the median figure of some runs.
func (t *task) repeat() (float64, error) {
	if !t.cold {
		warm(warmUp)
	}
	var all []float64
	var total time.Duration
	for len(all) == 0 || !t.once && (len(all) < runsMost && total < runsLast || total < runsLeast) {
		took, err := t.single()
		if err != nil {
			return 0, err
		}
		total += took
		all = append(all, t.figure(took))
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2, nil
}

func (t *task) single() (time.Duration, error) {
	if t.before != nil {
		if err := t.before(); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	err := t.run()
	took := max(time.Since(began), 1)
	if err == nil && t.check != nil {
		err = t.check()
	}
	return took, err
}

// warm keeps all CPUs busy.
func warm(d time.Duration) { goroutines(runtime.GOMAXPROCS(0), func(int) { spin(d) }) }
