package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sweetspot-go/sweetspot/control"
)

// A ServeResult says how a controller did in front of a server. A response is good
// if it comes within three times what 99 in 100 units take without a load: that is
// the bound on latency. The time counts from the arrival on, the queue in front
// included.
type ServeResult struct {
	Result
	// Goodput is the number of good responses over what the sweet spot would
	// complete of what arrives, from the beginning, the search included.
	Goodput float64
	// P99 is what 99 in 100 responses did not exceed, over what 99 in 100 units
	// take without a load; NaN if there was none.
	P99     float64
	Refused float64 // share of the units that were turned away
}

// goodWithin is the bound on latency, over the usual one.
const goodWithin = 3.0

// Serve lets c control the limit of a simulated server, and says what its clients
// got. Unlike in [Run], units that arrive when a quarter of the limit waits already
// are turned away. The outcome depends on s, seed and c alone.
//
// The error says what is wrong with the scenario, such as a phase without arrivals.
func Serve(s Scenario, seed uint64, c control.Controller) (*ServeResult, error) {
	for _, p := range s.Phases {
		if p.Arrivals <= 0 {
			return nil, fmt.Errorf("scenario %q: from %v s on nothing arrives: a server wants arrivals in each phase", s.Name, p.From)
		}
	}
	r, err := newRun(s, seed, c)
	if err != nil {
		return nil, err
	}
	d := new(door)
	r.plant.door = d
	r.play(c)
	res := &ServeResult{Result: *r.finish()}
	ideal := 0.0
	for _, st := range r.steps {
		ideal += st.best * tick
	}
	res.Goodput = float64(d.inTime) / ideal
	n := float64(len(d.took))
	res.Refused = float64(d.refused) / max(1, float64(d.refused)+n)
	res.P99 = math.NaN()
	if n > 0 {
		slices.Sort(d.took)
		res.P99 = d.took[int(math.Ceil(0.99*n))-1]
	}
	return res, nil
}

// JudgeServer runs every scenario with every seed, each with a fresh controller,
// on all CPUs, and returns a row for each scenario: medians over the seeds. The
// outcome does not depend on how many CPUs there are. newController is called by
// several goroutines.
func JudgeServer(scenarios []Scenario, seeds []uint64, newController func() control.Controller) ([]ServeRow, error) {
	return judgeAll(scenarios, seeds, func(s Scenario, seed uint64) (*ServeResult, error) {
		return Serve(s, seed, newController())
	}, func(s Scenario, rs runs[*ServeResult]) ServeRow {
		row := ServeRow{Name: s.Name, Worst: rs.sorted(func(r *ServeResult) float64 { return r.Goodput })[0], First: rs[0]}
		rs.medians(&row)
		return row
	})
}

// A ServeRow is how a law did on one scenario: medians over the seeds, but for
// Worst, the lowest Goodput. The columns are those of [ServeResult].
type ServeRow struct {
	Name           string
	Goodput, Worst float64
	P99, Refused   float64
	Ratio          float64
	Recover        float64
	First          *ServeResult // of the first seed
}

var usuals memo[[3]Dist, float64]

// usual returns what 99 in 100 units of a phase take without a load, s. It is
// drawn, once for each phase ever seen.
func usual(p *Phase) float64 {
	parts := [3]Dist{p.Wait, p.Service, p.CPU}
	return usuals.of(parts, func() float64 {
		// As many that the 99th percentile is good to 2 % for a deviation as large as
		// the mean.
		const draws = 50_000
		r := rand.New(rand.NewPCG(1, 99))
		took := make([]float64, draws)
		for _, d := range parts {
			if s := newSampler(d); s.kind != Absent {
				for i := range took {
					took[i] += s.draw(r)
				}
			}
		}
		slices.Sort(took)
		return took[draws/100*99]
	})
}
