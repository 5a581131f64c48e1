package simcmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/internal/seeds"
	"github.com/sweetspot-go/sweetspot/sim"
)

// defaultControllers are all laws that need no target of somebody's, and the
// yardstick. AIMD is there twice, as no scenario reports an overload: as it was
// published, and with the congestion that slow units are.
var defaultControllers = []string{"search", "dynamictarget", "step", "aimd", "aimd:2", "vegas", "gradient2", "hillclimbing", "fixed"}

type options struct {
	scenarios   []string
	file        string
	controllers []string
	seeds       string
	json        string
	html        string
	trace       bool
}

// Command returns the sim command.
func Command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "sim [flags]",
		Short: "Judge controllers on simulated machines",
		Long: `sim lets controllers set the number of jobs on simulated machines, in virtual
time, and says how close each comes to the best fixed number: the score is the
mean over time of the throughput that the limit in force sustains, over that of
the sweet spot N*, the least number with 98 % of the highest throughput. The
search, the start and every experiment are included.

Figures are medians over the seeds; worst is the lowest score. last is the score
of the last third of a run, and N/N* is the mean limit there over N*. N* is that
of the start. t95 is after how many seconds the throughput is at 0.95 of that of
N*, and stays there for a second; recover is the same after the worst step, with a
limit of at most 1.5 N*; - means that the scenario has no step. act is the number
of units that completed, over the number that N* would have completed.

Controllers: search (the default law); the talk's, dynamictarget[:GAIN] (without
a gain: 0.1, 0.2 and 0.3) and step[:PERCENT] (90); fixedtarget[:PERCENT] (90);
other published ones, aimd[:SLOW] (a window with SLOW times the time in flight of
the quickest is congestion; without: never), vegas, gradient2[:TOLERANCE] (1.5)
and hillclimbing; fixed[:N], in the tables fixed(N) or fixed(P): P is
the number of CPUs.

Scenarios: cpu2, cpu4, cpu8, cpu64, io3000, mixed, down32, usl24,
thrash40, extload, extcpu, step16-128, longcpu, longio, short20us,
pareto, paretoio, open50, plateau, waitstep, spin8, smt16, disk1,
balanced, patches, scanned.
More can be read from a file; its format is described at
https://pkg.go.dev/github.com/sweetspot-go/sweetspot/sim.`,
		Example: `  sweetspot sim
  sweetspot sim --scenario mixed,thrash40 --controller search,fixed --seeds 1-3
  sweetspot sim --scenario extload --trace
  sweetspot sim --json result.json --html result.html`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.execute(c.InOrStdin(), c.OutOrStdout()); err != nil {
				return fmt.Errorf("sim: %w", err)
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.scenarios, "scenario", nil, "simulate only these `SCENARIOS`, separated by commas")
	f.StringVar(&o.file, "file", "", "read scenarios from `FILE` in place of the built-in ones; - is standard input")
	f.StringSliceVar(&o.controllers, "controller", defaultControllers, "compare these `CONTROLLERS`; the first is the one under judgement")
	f.Lookup("controller").DefValue = strings.Join(defaultControllers, ", ") // with blanks, help can wrap it
	f.StringVar(&o.seeds, "seeds", "1-10", "run with these `SEEDS`: 1-10 or 3,5,7-9")
	f.StringVar(&o.json, "json", "", "write the result as JSON to `FILE`; - is standard output, in place of the tables")
	f.StringVar(&o.html, "html", "", "write a page with plots to `FILE`")
	f.BoolVar(&o.trace, "trace", false, "print one run as JSON lines: of one scenario, the first controller, the first seed")
	c.MarkFlagsMutuallyExclusive("json", "trace")
	c.MarkFlagsMutuallyExclusive("html", "trace")
	c.AddCommand(companyCommand())
	return c
}

// execute runs the command. Nothing is simulated before all input is known to
// be good and all files can be written.
func (o *options) execute(in io.Reader, out io.Writer) error {
	scenarios, err := o.load(in)
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
	if o.trace {
		if len(scenarios) != 1 {
			return fmt.Errorf("--trace shows one run: name one --scenario (%d are selected)", len(scenarios))
		}
		return writeTrace(out, scenarios[0], entries[0], list[0])
	}
	r := &result{Scenarios: scenarios, Seeds: list}
	files := outfile.New(out)
	defer files.Close()
	if err := cmp.Or(files.Add("--json", o.json, r.writeJSON), files.Add("--html", o.html, r.writeHTML)); err != nil {
		return err
	}
	if files.TakesStdout() {
		out = io.Discard
	}
	if err := r.judge(entries, out); err != nil {
		return err
	}
	return files.Write()
}

func (o *options) load(in io.Reader) ([]sim.Scenario, error) {
	all := sim.Scenarios()
	if o.file != "" {
		name := o.file
		if o.file == "-" {
			name = "standard input"
		} else {
			f, err := os.Open(o.file)
			if err != nil {
				return nil, fmt.Errorf("--file: %w", err)
			}
			defer f.Close()
			in = f
		}
		var err error
		if all, err = sim.Parse(in); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return pick(all, func(s sim.Scenario) string { return s.Name }, o.scenarios)
}
