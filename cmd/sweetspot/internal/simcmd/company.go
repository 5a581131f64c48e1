package simcmd

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/seeds"
	"github.com/sweetspot-go/sweetspot/sim"
)

// companyOptions are what the command line of sim company says.
type companyOptions struct {
	companies   []string
	controllers []string
	seeds       string
}

func companyCommand() *cobra.Command {
	o := &companyOptions{}
	c := &cobra.Command{
		Use:   "company [flags]",
		Short: "Judge many loops at once on one machine",
		Long: `company lets several control loops work at once on one machine, in virtual time,
and says how close they come to the best fixed limits.

score is the mean over the Limiters of the units that actually completed, over
those of the best fixed limits; worst is that of the worst seed, late that of the
last half of the run; N/N* the limits over the best fixed ones, in the last half.
least is the Limiter that does worst, jain the fairness among Limiters that are
alike (1: all have the same), refused the share of the units that ended as
Overloaded, of time the share of the time in which a server turned units away.

Companies: computing, ten, fifty, shared2, shared10, shared10of50,
processes2, processes2late, processes2shared, processes5shared,
processes2crowd, processes2crowdshared, processes5crowdshared,
fullhost, cpufull2, mixedcompany, rising5, rising8, rising5p4,
refuse1, refuse5, refuse20, limit24, limit24refuse1, outage,
outagehangs, outage429.`,
		Example: `  sweetspot sim company
  sweetspot sim company --scenario shared2,fifty --seeds 1`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.execute(c.OutOrStdout()); err != nil {
				return fmt.Errorf("sim company: %w", err)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.companies, "scenario", nil, "simulate only these `SCENARIOS`, separated by commas")
	f.StringSliceVar(&o.controllers, "controller", []string{"search"}, "run these `CONTROLLERS` of sim, with a table for each")
	f.Lookup("controller").DefValue = "search" // help would show [search]
	f.StringVar(&o.seeds, "seeds", "1-3", "run with these `SEEDS`: 1-10 or 3,5,7-9")
	return c
}

func (o *companyOptions) execute(out io.Writer) error {
	companies, err := pick(sim.Companies(), func(c sim.Company) string { return c.Name }, o.companies)
	if err != nil {
		return err
	}
	entries, err := entriesOf(o.controllers)
	if err != nil {
		return err
	}
	list, err := seeds.Parse(o.seeds)
	if err != nil {
		return fmt.Errorf("--seeds: %w", err)
	}
	for _, e := range entries {
		rows, err := sim.JudgeCompanies(companies, list, e.make)
		if err != nil {
			return err
		}
		if err := writeCompanies(out, e.name, len(list), rows); err != nil {
			return err
		}
	}
	return nil
}

// writeCompanies prints the table of one controller.
func writeCompanies(out io.Writer, law string, seeds int, rows []sim.CompanyRow) error {
	width := len("scenario")
	for _, r := range rows {
		width = max(width, len(r.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n%-*s %9s %6s %6s %6s %6s %6s %6s %6s %6s %7s %7s\n", law, humanize.Count(seeds, "seeds"),
		width, "scenario", "best", "score", "worst", "late", "N/N*", "least", "late", "jain", "late", "refused", "of time")
	mean, worst := 0.0, math.Inf(1)
	for _, r := range rows {
		best := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Best), "[]"), " ", ",")
		fmt.Fprintf(&b, "%-*s %9s", width, r.Name, best)
		for _, x := range []float64{r.Score, r.Worst, r.Late, r.Ratio, r.Least, r.LeastLate, r.Jain, r.JainLate} {
			fmt.Fprintf(&b, " %6s", ratio(x))
		}
		fmt.Fprintf(&b, " %7.3f %7.3f\n", r.Refused, r.Refusing)
		mean += r.Score / float64(len(rows))
		worst = min(worst, r.Worst)
	}
	fmt.Fprintf(&b, "mean %.4f, worst run %.3f\n", mean, worst)
	_, err := io.WriteString(out, b.String())
	return err
}

// ratio formats one that may not exist.
func ratio(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}
