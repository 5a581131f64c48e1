package simcmd

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/sim"
)

// companyOptions are what the command line of sim company says.
type companyOptions struct {
	companies   []string
	controllers []string
	seeds       string
	trace       bool
}

// companyCommand returns the command sim company.
func companyCommand() *cobra.Command {
	o := &companyOptions{}
	c := &cobra.Command{
		Use:   "company [flags]",
		Short: "Judge many loops at once on one machine",
		Long: `company lets several control loops work at once on one machine, in virtual time,
and says how close they come to the best fixed limits.

score is the mean over the Limiters of the units that really completed, over
those of the best fixed limits; worst is that of the worst seed, late that of the
last half of the run; N/N* the limits over the best fixed ones, in the last half.
least is the Limiter that does worst, jain the fairness among Limiters that are
alike (1: all have the same), refused the share of the units that ended as
Overloaded, of time the share of the time in which a server turned units away.

Companies: ` + wrapped(companyNames(), 68) + `.`,
		Example: `  sweetspot sim company
  sweetspot sim company --scenario shared2,fifty --seeds 1
  sweetspot sim company --scenario outage --trace`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.execute(c.OutOrStdout()) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.companies, "scenario", nil, "only these `names`, separated by commas")
	f.StringSliceVar(&o.controllers, "controller", []string{"search"}, "these `controllers`, as sim has them: a table each")
	f.StringVar(&o.seeds, "seeds", "1-3", "`seeds` of the runs: 1-10 or 3,5,7-9")
	f.BoolVar(&o.trace, "trace", false, "print one run as JSON lines: of one scenario, the first controller, the first seed")
	return c
}

func (o *companyOptions) execute(out io.Writer) error {
	companies, err := companiesOf(o.companies)
	if err != nil {
		return fmt.Errorf("sim company: %w", err)
	}
	entries, err := entriesOf(o.controllers)
	if err != nil {
		return fmt.Errorf("sim company: %w", err)
	}
	seeds, err := parseSeeds(o.seeds)
	if err != nil {
		return fmt.Errorf("sim company: --seeds: %w", err)
	}
	if o.trace {
		if len(companies) != 1 {
			return fmt.Errorf("sim company: --trace shows one run: name one --scenario (%d are selected)", len(companies))
		}
		return writeCompanyTrace(out, companies[0], entries[0], seeds[0])
	}
	for _, e := range entries {
		v, err := sim.JudgeCompanies(companies, seeds, e.make)
		if err != nil {
			return fmt.Errorf("sim company: %w", err)
		}
		if _, err := fmt.Fprintf(out, "%s, %s\n%s", e.name, countOf(len(seeds), "seed"), v); err != nil {
			return err
		}
	}
	return nil
}

// companiesOf returns the companies of these names, all if there is none.
func companiesOf(names []string) ([]sim.Company, error) {
	all := sim.Companies()
	if len(names) == 0 {
		return all, nil
	}
	var picked []sim.Company
	for _, name := range names {
		n := len(picked)
		for _, c := range all {
			if c.Name == strings.TrimSpace(name) {
				picked = append(picked, c)
			}
		}
		if len(picked) == n {
			return nil, fmt.Errorf("no scenario %q: want one of %s", name, strings.Join(companyNames(), ", "))
		}
	}
	return picked, nil
}

func companyNames() []string {
	var names []string
	for _, c := range sim.Companies() {
		names = append(names, c.Name)
	}
	return names
}

// The lines of a trace of a company that those of a trace of a scenario have not.
type (
	loopChangeLine struct {
		changeLine
		Loop int `json:"loop"`
	}
	loopPointLine struct {
		Type     string `json:"type"` // "point"
		At       number `json:"at"`
		Loop     int    `json:"loop"`
		Limit    int    `json:"limit"`
		InFlight int    `json:"in_flight"`
		Rate     number `json:"rate"`
	}
	loopResultLine struct {
		Type      string   `json:"type"` // "loop", one for each at the end
		Loop      int      `json:"loop"`
		Process   int      `json:"process"`
		Best      int      `json:"best"`
		Score     optional `json:"score"`
		Late      optional `json:"late"`
		Completed int64    `json:"completed"`
		Overloads int64    `json:"overloads"`
		Failed    int64    `json:"failed"`
	}
	companyResultLine struct {
		Type     string   `json:"type"` // "result", the last line
		Score    optional `json:"score"`
		Late     optional `json:"late"`
		Least    optional `json:"least"`
		Jain     optional `json:"jain"`
		Ratio    optional `json:"ratio"`
		Refused  optional `json:"refused"`
		Refusing optional `json:"refusing"`
	}
)

// writeCompanyTrace runs c once and prints what happened, in order of time.
func writeCompanyTrace(out io.Writer, c sim.Company, e entry, seed uint64) error {
	r, err := sim.RunCompany(c, seed, e.make)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(runLine{"run", version, c.Name, e.name, seed, c.CPUs, c.Seconds}); err != nil {
		return err
	}
	next := make([]int, len(r.Loops)) // change of each loop
	for i := range r.Loops[0].Trace {
		for j, l := range r.Loops {
			p := l.Trace[i]
			for ; next[j] < len(l.Changes) && l.Changes[next[j]].At < p.At; next[j]++ {
				c := l.Changes[next[j]]
				if err := lines.Encode(loopChangeLine{changeLine{"change", number(c.At), c.From, c.To, c.Reason.Kind.String(), c.Reason.String()}, j}); err != nil {
					return err
				}
			}
			if err := lines.Encode(loopPointLine{"point", number(p.At), j, p.Limit, p.InFlight, number(p.Rate)}); err != nil {
				return err
			}
		}
	}
	for j, l := range r.Loops {
		if err := lines.Encode(loopResultLine{"loop", j, l.Process, l.Best, optional(l.Score), optional(l.Late), l.Completed, l.Overloads, l.Failed}); err != nil {
			return err
		}
	}
	if err := lines.Encode(companyResultLine{
		"result", optional(r.Score), optional(r.Late), optional(r.Least), optional(r.Jain), optional(r.Ratio), optional(r.Refused), optional(r.Refusing),
	}); err != nil {
		return err
	}
	return w.Flush()
}
