package sim

import (
	"fmt"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A Verdict is how one law did on a list of scenarios.
type Verdict struct {
	Rows []Row
	// First has the results of the first seed, a scenario each, for plots.
	First []*Result
	// Mean is the mean of the rows' Score, MeanWorst that of their Worst, and
	// Min the lowest Worst: the worst of all runs.
	Mean, MeanWorst, Min float64
}

// A Row is how a law did on one scenario: medians over the seeds, but for
// Worst, the lowest score. The columns are those of [Result].
type Row struct {
	Name                     string
	NStar                    int
	Score, Worst             float64
	Last, Ratio, Settled     float64
	T95, Recover, Act        float64
	NeverT95, NeverRecovered int // seeds in which it did not happen
}

// Judge runs every scenario with every seed, each with a fresh controller, on
// all CPUs, and returns the medians. The outcome does not depend on how many
// CPUs there are. newController is called by several goroutines.
func Judge(scenarios []Scenario, seeds []uint64, newController func() control.Controller) (*Verdict, error) {
	all, err := runAll(scenarios, seeds, func(s Scenario, seed uint64) (*Result, error) {
		r, err := Run(s, seed, newController())
		if err == nil && seed != seeds[0] {
			r.Trace, r.Changes = nil, nil
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	v := &Verdict{Min: math.Inf(1)}
	for i, s := range scenarios {
		v.First = append(v.First, all[i][0])
		row := newRow(s.Name, all[i])
		v.Rows = append(v.Rows, row)
		v.Mean += row.Score / float64(len(scenarios))
		v.MeanWorst += row.Worst / float64(len(scenarios))
		v.Min = min(v.Min, row.Worst)
	}
	return v, nil
}

func newRow(name string, rs runs[*Result]) Row {
	row := Row{
		Name: name, NStar: rs[0].NStar,
		Worst:          rs.sorted(func(r *Result) float64 { return r.Score })[0],
		NeverT95:       countInf(rs.sorted(func(r *Result) float64 { return r.T95 })),
		NeverRecovered: countInf(rs.sorted(func(r *Result) float64 { return r.Recover })),
	}
	rs.medians(&row)
	return row
}

func countInf(xs []float64) (n int) {
	for _, x := range xs {
		if math.IsInf(x, 1) {
			n++
		}
	}
	return n
}

// String returns the verdict as a table for people.
func (v *Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-12s %6s %6s %6s %6s %6s %6s %7s %6s\n", "scenario", "N*", "score", "worst", "last", "N/N*", "t95", "recover", "act")
	for _, r := range v.Rows {
		fmt.Fprintf(&b, "%-12s %6d %6.3f %6.3f %6.3f %6.2f %6s %7s %6.3f\n",
			r.Name, r.NStar, r.Score, r.Worst, r.Last, r.Ratio, humanize.Missing(r.T95), humanize.Missing(r.Recover), r.Act)
	}
	fmt.Fprintf(&b, "mean %.4f, mean of worst %.4f, worst run %.3f\n", v.Mean, v.MeanWorst, v.Min)
	return b.String()
}
