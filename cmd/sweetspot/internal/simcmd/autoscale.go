package simcmd

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/internal/seeds"
	"github.com/sweetspot-go/sweetspot/sim"
)

// autoscaleOptions are what the command line of sim autoscale says.
type autoscaleOptions struct {
	services []string
	laws     []string
	seeds    string
	json     string
	html     string
}

// autoscaleCommand returns the command sim autoscale.
func autoscaleCommand() *cobra.Command {
	o := &autoscaleOptions{}
	c := &cobra.Command{
		Use:   "autoscale [flags]",
		Short: "Judge laws for the number of replicas of a service",
		Long: `autoscale lets laws set the number of replicas of simulated services, in virtual
time: requests arrive at a rate that changes, and a replica that is asked for
takes its time to start. It reports how long the requests waited for a replica,
what the replicas cost, by how much their number exceeded the need, and both of
the first against the threshold autoscaler.

Laws: demand[:UTILISATION] (from queueing theory), hpa[:TARGET] (the threshold
autoscaler of Kubernetes), compensated[:UTILISATION] (as published by the author
of the talk on feedback control); 0.7 by default.

Services: published1, published6, stairs, daynight, flash,
ten-thousand.`,
		Example: `  sweetspot sim autoscale
  sweetspot sim autoscale --service daynight --law demand:0.8,hpa:0.8 --seeds 1-3
  sweetspot sim autoscale --json result.json --html result.html`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.execute(c.OutOrStdout()) },
	}
	f := c.Flags()
	f.StringSliceVar(&o.services, "service", nil, "simulate only these `SERVICES`, separated by commas")
	f.StringSliceVar(&o.laws, "law", []string{"demand", "hpa", "compensated"}, "compare these `LAWS`; the first is the one under judgement")
	f.StringVar(&o.seeds, "seeds", "1-5", "run with these `SEEDS`: 1-10 or 3,5,7-9")
	f.StringVar(&o.json, "json", "", "write the result as JSON to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.html, "html", "", "write a page with plots to `FILE`")
	return c
}

// execute runs the command. Nothing is simulated before all input is known to
// be good and all files can be written.
func (o *autoscaleOptions) execute(out io.Writer) error {
	services, err := pick("service", sim.Services(), serviceName, o.services)
	if err != nil {
		return fmt.Errorf("sim autoscale: --service: %w", err)
	}
	laws, err := scaleLawsOf(o.laws)
	if err != nil {
		return fmt.Errorf("sim autoscale: --law: %w", err)
	}
	list, err := seeds.Parse(o.seeds)
	if err != nil {
		return fmt.Errorf("sim autoscale: --seeds: %w", err)
	}
	r := &scaling{services: services, laws: laws, seeds: list}
	files := outfile.New(out)
	defer files.Close()
	if err := cmp.Or(files.Add("--json", o.json, r.writeJSON), files.Add("--html", o.html, r.writeHTML)); err != nil {
		return fmt.Errorf("sim autoscale: %w", err)
	}
	if err := r.judge(); err != nil {
		return fmt.Errorf("sim autoscale: %w", err)
	}
	if !files.TakesStdout() {
		if _, err := io.WriteString(out, r.String()); err != nil {
			return err
		}
	}
	if err := files.Write(); err != nil {
		return fmt.Errorf("sim autoscale: %w", err)
	}
	return nil
}

// A scaleLaw is a law for the number of replicas under judgement.
type scaleLaw struct {
	name, kind string
	make       func(sim.Service) control.Scaler
}

// scaleLawsOf returns the laws of the given names.
func scaleLawsOf(names []string) ([]scaleLaw, error) {
	var all []scaleLaw
	seen := map[string]bool{}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if seen[name] {
			return nil, fmt.Errorf("law %q is given twice", name)
		}
		seen[name] = true
		kind, arg, has := strings.Cut(name, ":")
		target := 0.7
		if has {
			var err error
			if target, err = strconv.ParseFloat(arg, 64); err != nil || !(target > 0 && target <= 1) {
				return nil, fmt.Errorf("law %q: want a utilisation above 0 and at most 1 after the colon", name)
			}
		}
		law := scaleLaw{name: name, kind: kind}
		switch kind {
		case "demand":
			law.make = func(sim.Service) control.Scaler { return &control.Demand{Utilisation: target} }
		case "hpa":
			law.make = func(sim.Service) control.Scaler { return control.NewHPA(target) }
		case "compensated":
			// The delays that its author had to know: the step of the
			// measurement, and those of a start.
			law.make = func(s sim.Service) control.Scaler {
				return control.NewCompensated(target, 1, int(math.Round(s.Startup.Mean()/s.Step)))
			}
		default:
			return nil, fmt.Errorf("unknown law %q: want demand[:UTILISATION], hpa[:TARGET] or compensated[:UTILISATION]", name)
		}
		all = append(all, law)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no law: want some of demand, hpa, compensated")
	}
	return all, nil
}

func serviceName(s sim.Service) string { return s.Name }
