package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/control"
)

// A CompanyVerdict is how one law did on a list of companies.
type CompanyVerdict struct {
	Rows []CompanyRow
	// Mean is the mean of the rows' Score, and Min the lowest Worst.
	Mean, Min float64
}

// A CompanyRow is how a law did on one company: medians over the seeds, but for
// Worst, the lowest Score. The columns are those of [CompanyResult].
type CompanyRow struct {
	Name  string
	Best  []int // the best fixed limits, one for each kind of Limiter
	Score float64
	Worst float64
	Late  float64
	Least, LeastLate,
	Jain, JainLate,
	Ratio, Refused, Refusing float64
}

// JudgeCompanies runs every company with every seed, on all CPUs. newLaw makes a
// controller for each Limiter and is called by several goroutines.
func JudgeCompanies(companies []Company, seeds []uint64, newLaw func() control.Controller) (*CompanyVerdict, error) {
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
	v := &CompanyVerdict{Min: math.Inf(1)}
	for i, c := range companies {
		row := newCompanyRow(c.Name, results[i*len(seeds):(i+1)*len(seeds)])
		v.Rows = append(v.Rows, row)
		v.Mean += row.Score / float64(len(companies))
		v.Min = min(v.Min, row.Worst)
	}
	return v, nil
}

func newCompanyRow(name string, results []*CompanyResult) CompanyRow {
	column := func(f func(*CompanyResult) float64) []float64 {
		var xs []float64
		for _, r := range results {
			xs = append(xs, f(r))
		}
		slices.Sort(xs)
		return xs
	}
	mid := func(f func(*CompanyResult) float64) float64 { return median(column(f)) }
	row := CompanyRow{
		Name:      name,
		Score:     mid(func(r *CompanyResult) float64 { return r.Score }),
		Worst:     column(func(r *CompanyResult) float64 { return r.Score })[0],
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

// String returns the verdict as a table for people.
func (v *CompanyVerdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-13s %9s %6s %6s %6s %6s %6s %6s %6s %7s %7s %8s\n",
		"company", "best", "score", "worst", "late", "N/N*", "least", "late", "jain", "late", "refused", "of time")
	for _, r := range v.Rows {
		fmt.Fprintf(&b, "%-13s %9s %6.3f %6.3f %6.3f %6.2f %6.3f %6.3f %6s %7s %7.3f %8.3f\n",
			r.Name, strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Best), "[]"), " ", ","), r.Score, r.Worst, r.Late, r.Ratio,
			r.Least, r.LeastLate, share(r.Jain), share(r.JainLate), r.Refused, r.Refusing)
	}
	fmt.Fprintf(&b, "mean %.4f, worst run %.3f\n", v.Mean, v.Min)
	return b.String()
}

// share formats a share that may be missing.
func share(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}
