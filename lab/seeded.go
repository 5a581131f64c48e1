package lab

import (
	_ "embed"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// Simulated points run on simulated machines, in virtual time: package sim. Their
// figures depend on the seed alone, so they need neither a process of their own nor
// a warm machine. The number of a round is the seed of its sample, so ratios within
// rounds compare two laws under the same units and the same noise.

// bySeed is a point whose figure is computed from a seed.
func bySeed(label, unit string, figure func(seed uint64) (float64, error)) point {
	return point{label: label, unit: unit, seeded: figure, set: func(int) (task, error) {
		return valued(func() (float64, error) { return figure(1) }), nil
	}}
}

// simulate takes the next sample of a simulated point.
func (s *subject) simulate() (err error) {
	began := time.Now()
	defer func() {
		s.took = time.Since(began)
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v: %s", p, lastLines(string(debug.Stack())))
		}
	}()
	y, err := s.p.seeded(uint64(len(s.samples)) + 1)
	if err == nil {
		s.samples, s.asides = append(s.samples, y), append(s.asides, aside{})
	}
	return err
}

// A law is a way to decide the limit, by name.
type law struct {
	name string
	make func() control.Controller
}

var searchLaw = law{"Search", func() control.Controller { return control.NewOverload(control.NewSearch()) }}

type simulation struct {
	scenario, law string
	seed          uint64
}

// simulations are the results so far, because several points read different
// figures of one run. One goroutine measures all points.
var simulations = map[simulation]*sim.Result{}

func (l law) simulate(sc sim.Scenario, seed uint64) (*sim.Result, error) {
	key := simulation{sc.Name, l.name, seed}
	if r := simulations[key]; r != nil {
		return r, nil
	}
	r, err := sim.Run(sc, seed, l.make())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	simulations[key] = r
	return r, nil
}

//go:embed scenarios.txt
var ownScenarios string

// scenarios are the lab's own, and those of package sim.
var scenarios = sync.OnceValue(func() []sim.Scenario {
	own, err := sim.Parse(strings.NewReader(ownScenarios))
	if err != nil {
		panic("lab: scenarios.txt: " + err.Error())
	}
	return append(own, sim.Scenarios()...)
})

func scenarioOf(name string) sim.Scenario {
	i := slices.IndexFunc(scenarios(), func(s sim.Scenario) bool { return s.Name == name })
	if i < 0 {
		panic("lab: there is no scenario " + name)
	}
	return scenarios()[i]
}

// scoreOf is the point of how much of the best throughput a law has over whole runs, the
// searches included: the mean over scenarios.
func (l law) scoreOf(label string, scenarios ...sim.Scenario) point {
	return l.figureOf(label, scoreUnit, func(r *sim.Result) float64 { return r.Score }, scenarios...)
}

// excessUnit is that of how many times as many units as needed run.
const excessUnit = "times those needed"

// excessOf is a point beside the scores: how many times the needed number of units the law
// lets run, as the mean over time.
func (l law) excessOf(label string, sc sim.Scenario) point {
	return l.figureOf(label, excessUnit, func(r *sim.Result) float64 {
		sum := 0.0
		for _, p := range r.Trace {
			sum += float64(p.Limit) / float64(p.NStar)
		}
		return sum / float64(len(r.Trace))
	}, sc).asAside()
}

func (l law) figureOf(label, unit string, figure func(*sim.Result) float64, scenarios ...sim.Scenario) point {
	return bySeed(label, unit, func(seed uint64) (float64, error) {
		sum := 0.0
		for _, sc := range scenarios {
			r, err := l.simulate(sc, seed)
			if err != nil {
				return 0, err
			}
			sum += figure(r)
		}
		return sum / float64(len(scenarios)), nil
	})
}
