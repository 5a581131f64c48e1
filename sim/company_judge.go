package sim

import "github.com/sweetspot-go/sweetspot/control"

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
	return judgeAll(companies, seeds, func(c Company, seed uint64) (*CompanyResult, error) {
		r, err := RunCompany(c, seed, newLaw)
		if err == nil {
			for l := range r.Loops {
				r.Loops[l].Trace, r.Loops[l].Changes = nil, nil
			}
		}
		return r, err
	}, newCompanyRow)
}

func newCompanyRow(c Company, rs runs[*CompanyResult]) CompanyRow {
	row := CompanyRow{Name: c.Name, Worst: rs.sorted(func(r *CompanyResult) float64 { return r.Score })[0]}
	rs.medians(&row)
	loops, kinds := rs[0].Loops, map[string]bool{}
	for i := range c.Processes {
		for _, l := range c.Processes[i].Limiters {
			if kind := l.kind(&c.Processes[i]); !kinds[kind] {
				kinds[kind] = true
				row.Best = append(row.Best, loops[0].Best)
			}
			loops = loops[l.Count:]
		}
	}
	return row
}
