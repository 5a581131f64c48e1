package simcmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/sim"
)

// A result is what the command found, for every output.
type result struct {
	Scenarios []sim.Scenario
	Seeds     []uint64
	Names     []string
	Verdicts  []*sim.Verdict // one for each name
}

// judge runs everything and reports to out as it goes: the first controller's
// table, then a comparison.
func (r *result) judge(entries []entry, out io.Writer) error {
	for i, e := range entries {
		v, err := sim.Judge(r.Scenarios, r.Seeds, e.make)
		if err != nil {
			return err
		}
		r.Names, r.Verdicts = append(r.Names, e.name), append(r.Verdicts, v)
		if i > 0 {
			continue
		}
		if _, err := fmt.Fprintf(out, "%s, %s\n%s", e.name, humanize.Count(len(r.Seeds), "seeds"), v); err != nil {
			return err
		}
	}
	return r.reportOthers(out)
}

// reportOthers prints the tables that compare the controllers.
func (r *result) reportOthers(out io.Writer) error {
	if len(r.Names) < 2 {
		return nil
	}
	var b strings.Builder
	r.table(&b, "score: median (worst seed)", func(w sim.Row) string { return fmt.Sprintf("%.3f (%.3f)", w.Score, w.Worst) })
	r.table(&b, "last third: score / N/N*", func(w sim.Row) string { return fmt.Sprintf("%.3f / %.2f", w.Last, w.Ratio) })
	r.table(&b, "seconds to 95 % / to recover from the worst step", func(w sim.Row) string { return humanize.Missing(w.T95) + " / " + humanize.Missing(w.Recover) })
	r.table(&b, "real completions over ideal", func(w sim.Row) string { return fmt.Sprintf("%.3f", w.Act) })
	b.WriteString("\nover all scenarios: mean of medians, mean of worst seeds, worst run\n")
	for i, v := range r.Verdicts {
		fmt.Fprintf(&b, "%-18s %.4f  %.4f  %.3f\n", r.Names[i], v.Mean, v.MeanWorst, v.Min)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// table prints one figure of all controllers, a column each.
func (r *result) table(b *strings.Builder, title string, cell func(sim.Row) string) {
	fmt.Fprintf(b, "\n%s\n%-12s %6s", title, "scenario", "N*")
	width := make([]int, len(r.Names))
	for i, n := range r.Names {
		width[i] = len(n)
		for _, row := range r.Verdicts[i].Rows {
			width[i] = max(width[i], len(cell(row)))
		}
		fmt.Fprintf(b, "  %*s", width[i], n)
	}
	b.WriteByte('\n')
	for j, row := range r.Verdicts[0].Rows {
		fmt.Fprintf(b, "%-12s %6d", row.Name, row.NStar)
		for i := range r.Names {
			fmt.Fprintf(b, "  %*s", width[i], cell(r.Verdicts[i].Rows[j]))
		}
		b.WriteByte('\n')
	}
}
