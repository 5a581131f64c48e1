package simcmd

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/sim"
)

// fleetOptions are what the command line of sim fleet says.
type fleetOptions struct {
	fleets     []string
	workers    []int
	jobs       int
	controller string
	start      int
	limits     []string
	seed       uint64
	json       string
}

// fleetCommand returns the command sim fleet.
func fleetCommand() *cobra.Command {
	o := &fleetOptions{}
	c := &cobra.Command{
		Use:   "fleet [flags]",
		Short: "Judge governed workers that take jobs from one queue",
		Long: `fleet lets governed workers take jobs from one queue, in virtual time, and says
how close they come to the best fixed number of jobs in flight, what each job
costs beyond itself, and how that grows with the number of workers.

Limits: worker (each worker looks for its own), shared (besides, one of them is
elected and looks for a limit of all together), best (the best fixed total of
some that are tried).

Fleets: ` + wrapped(fleetNames(), 68) + `.`,
		Example: `  sweetspot sim fleet
  sweetspot sim fleet --fleet thrash --workers 1000 --start 24
  sweetspot sim fleet --fleet own --workers 1,10,100,1000,10000 --jobs 1000000 --limit worker`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.execute(c.OutOrStdout()) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.fleets, "fleet", []string{"shared", "thrash"}, "these `names`, separated by commas")
	f.IntSliceVar(&o.workers, "workers", []int{1, 4, 16}, "so many workers: `numbers`, separated by commas")
	f.IntVar(&o.jobs, "jobs", 50_000, "so many jobs")
	f.StringVar(&o.controller, "controller", "search", "the `law` of all limits, as sim has it")
	f.StringSliceVar(&o.limits, "limit", []string{"worker", "shared", "best"}, "these `limits`")
	f.IntVar(&o.start, "start", 0, "where the shared limit begins; 0: the CPUs of one worker")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the runs")
	f.StringVar(&o.json, "json", "", "write the result as JSON to a `file`; - is standard output, in place of the table")
	return c
}

// bestJobs bounds the jobs with which each fixed limit is tried.
const bestJobs = 20_000

// execute runs the command. Nothing is simulated before all input is known to
// be good and the file can be written.
func (o *fleetOptions) execute(out io.Writer) error {
	r := &fleetResults{jobs: o.jobs, seed: o.seed, start: o.start}
	if err := o.check(r); err != nil {
		return fmt.Errorf("sim fleet: %w", err)
	}
	files := outfile.New(out)
	defer files.Close()
	if err := files.Add("--json", o.json, r.writeJSON); err != nil {
		return fmt.Errorf("sim fleet: %w", err)
	}
	if err := r.run(); err != nil {
		return fmt.Errorf("sim fleet: %w", err)
	}
	if !files.TakesStdout() {
		if _, err := io.WriteString(out, r.String()); err != nil {
			return err
		}
	}
	if err := files.Write(); err != nil {
		return fmt.Errorf("sim fleet: %w", err)
	}
	return nil
}

// check fills r with what was asked for.
func (o *fleetOptions) check(r *fleetResults) error {
	laws, err := entriesOf([]string{o.controller})
	if err != nil || len(laws) != 1 {
		return cmp.Or(err, fmt.Errorf("controller %q stands for %d: want one, such as dynamictarget:0.1", o.controller, len(laws)))
	}
	r.law = laws[0]
	if o.start < 0 || o.start > sim.MaxLimit {
		return fmt.Errorf("--start %d: want 1 to %d, or 0 for the CPUs of one worker", o.start, sim.MaxLimit)
	}
	for _, l := range o.limits {
		switch l = strings.TrimSpace(l); l {
		case byWorker, byShared, byBest:
			r.limits = append(r.limits, l)
		default:
			return fmt.Errorf("--limit %q: want worker, shared or best", l)
		}
	}
	for _, name := range o.fleets {
		for _, workers := range o.workers {
			f, err := fleetOf(strings.TrimSpace(name), workers, o.jobs)
			if err != nil {
				return err
			}
			r.fleets = append(r.fleets, f)
		}
	}
	if len(r.fleets) == 0 || len(r.limits) == 0 {
		return fmt.Errorf("nothing to do: want at least one --fleet, one number of --workers and one --limit")
	}
	return nil
}

// fleetOf returns the fleet of a name.
func fleetOf(name string, workers, jobs int) (sim.Fleet, error) {
	for _, f := range sim.Fleets(workers, jobs) {
		if f.Name == name {
			return f, f.Validate()
		}
	}
	return sim.Fleet{}, fmt.Errorf("no fleet %s: want one of %s", strconv.Quote(name), strings.Join(fleetNames(), ", "))
}

func fleetNames() []string {
	var names []string
	for _, f := range sim.Fleets(1, 1) {
		names = append(names, f.Name)
	}
	return names
}
