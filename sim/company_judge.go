package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/sweetspot-go/sweetspot/control"
)

// A CompanyRow is how a law did on one company: medians over the seeds, but for
// Worst, the lowest Score. The columns are those of [CompanyResult].
type CompanyRow struct {
	Name                     string
	Best                     []int // the best fixed limits, one for each kind of Limiter
	Score, Worst, Late       float64
	Least, LeastLate         float64
	Jain, JainLate           float64
	Ratio, Refused, Refusing float64
}

// JudgeCompanies runs every company with every seed, on all CPUs. newLaw makes a
// controller for each Limiter and is called by several goroutines.
func JudgeCompanies(companies []Company, seeds []uint64, newLaw func() control.Controller) ([]CompanyRow, error) {
	if len(companies) == 0 || len(seeds) == 0 {
		return nil, fmt.Errorf("sim: nothing to judge: want at least one company and one seed")
	}
	results := make([]*CompanyResult, len(companies)*len(seeds))
	// Seed by seed, so that no two goroutines want the same best limits at once.
	if err := each(len(results), func(i int) error {
		c, s := i%len(companies), i/len(companies)
		r, err := RunCompany(companies[c], seeds[s], newLaw)
		if err == nil {
			for l := range r.Loops {
				r.Loops[l].Trace, r.Loops[l].Changes = nil, nil
			}
		}
		results[c*len(seeds)+s] = r
		return err
	}); err != nil {
		return nil, err
	}
	var rows []CompanyRow
	for i, c := range companies {
		rows = append(rows, newCompanyRow(c.Name, results[i*len(seeds):(i+1)*len(seeds)]))
	}
	return rows, nil
}

func newCompanyRow(name string, results []*CompanyResult) CompanyRow {
	worst := math.Inf(1)
	for _, r := range results {
		worst = min(worst, r.Score)
	}
	mid := func(f func(*CompanyResult) float64) float64 {
		var xs []float64
		for _, r := range results {
			xs = append(xs, f(r))
		}
		slices.Sort(xs)
		return median(xs)
	}
	row := CompanyRow{
		Name: name, Worst: worst,
		Score:     mid(func(r *CompanyResult) float64 { return r.Score }),
		Late:      mid(func(r *CompanyResult) float64 { return r.Late }),
		Least:     mid(func(r *CompanyResult) float64 { return r.Least }),
		LeastLate: mid(func(r *CompanyResult) float64 { return r.LeastLate }),
		Jain:      mid(func(r *CompanyResult) float64 { return r.Jain }),
		JainLate:  mid(func(r *CompanyResult) float64 { return r.JainLate }),
		Ratio:     mid(func(r *CompanyResult) float64 { return r.Ratio }),
		Refused:   mid(func(r *CompanyResult) float64 { return r.Refused }),
		Refusing:  mid(func(r *CompanyResult) float64 { return r.Refusing }),
	}
	for i, l := range results[0].Loops {
		if i == 0 || l.Best != results[0].Loops[i-1].Best {
			row.Best = append(row.Best, l.Best)
		}
	}
	return row
}
