package lab

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

type diagnoseOptions struct {
	rounds int
	keep   string
}

func diagnoseCommand() *cobra.Command {
	o := &diagnoseOptions{}
	c := &cobra.Command{
		Use:   "diagnose ID [POINT POINT]",
		Short: "Compare what two points of an experiment do: profiles, trace, escapes",
		Long: `diagnose compares what two points of an experiment do: a CPU profile, a profile of
allocations, an execution trace, and what the escape analysis of the compiler says about the
variables of the work. It records both points several times, in turn, in fresh processes. A
row differs if every recording of one point is above every recording of the other.

Points are named as in lab compare. Those that take another measure of the same work
are left out. The default is the first label with 12 and with 24 workers, or the
first two points if there is no such label.

The escape analysis needs the go command, and in the module cache the modules that the work
imports; the source of the work is in this program.`,
		Example: `  sweetspot lab diagnose A3
  sweetspot lab diagnose A3 Do/2 Do/24 --size quick --keep recordings
  go tool trace recordings/Do-24/1/trace.out
  sweetspot lab diagnose D3 Slow Parallel1`,
	}
	ofPair(c, o.execute)
	f := c.Flags()
	f.IntVar(&o.rounds, "rounds", 5, "record each point `N` times; below 4 no row is called different")
	f.StringVar(&o.keep, "keep", "", "keep the recordings in `DIR`, for go tool pprof and go tool trace")
	return c
}

func (o *diagnoseOptions) execute(ctx context.Context, e *experiment, s scale, names []string, out, errOut io.Writer) error {
	d, err := o.diagnosis(runner{scale: s, rounds: o.rounds, progress: progressTo(errOut)}, e, names)
	if err != nil {
		return err
	}
	defer d.clean()
	return d.write(ctx, out)
}

// write records both points, and prints what they do.
func (d *diagnosis) write(ctx context.Context, out io.Writer) error {
	c, err := d.diagnose(ctx)
	if err != nil {
		return err
	}
	return d.print(out, c)
}

// diagnosis returns the diagnosis of two points, which may be named. Points beside the
// measure of the experiment do the same work again, so they show nothing new.
func (o *diagnoseOptions) diagnosis(r runner, e *experiment, names []string) (*diagnosis, error) {
	points := slices.DeleteFunc(e.points(r.scale), func(p point) bool { return p.aside })
	if len(names) == 0 {
		names = defaultPair(points)
	}
	d := &diagnosis{runner: r, e: e}
	var err error
	if d.pair, err = r.pairOf(e, points, names); err != nil {
		return nil, err
	}
	if d.dir, d.clean, err = dissect.Directory(o.keep); err != nil && o.keep != "" {
		err = fmt.Errorf("--keep: %w", err)
	}
	return d, err
}

// diagnose compares both points, and adds what escapes to the heap.
func (d *diagnosis) diagnose(ctx context.Context) (*dissect.Comparison, error) {
	c, err := d.compare(ctx)
	if err != nil {
		return nil, err
	}
	var modules []*debug.Module
	if info, ok := debug.ReadBuildInfo(); ok {
		modules = info.Deps
	}
	c.Escape, err = dissect.Escapes(ctx, d.e.sources(), modules)
	return c, err
}

func (d *diagnosis) print(out io.Writer, c *dissect.Comparison) error {
	fmt.Fprintf(out, "%s  %s: %s and %s\n%s, GOMAXPROCS %d, %s\n", d.e.id, d.e.title, c.A, c.B, d.e.sizesOf(d.pair), runtime.GOMAXPROCS(0), runtime.Version())
	return c.Print(out)
}

// inFull returns what diagnose prints of the two points that the article compared.
func (r *runner) inFull(ctx context.Context) (string, error) {
	d, err := new(diagnoseOptions).diagnosis(runner{scale: r.scale, rounds: min(r.rounds, recordingsInFull), progress: r.progress}, described(a3())[0], nil)
	if err != nil {
		return "", err
	}
	defer d.clean()
	var b strings.Builder
	err = d.write(ctx, &b)
	return b.String(), err
}

// recordingsInFull is how many recordings of each are enough to say what differs, if there are as
// many rounds.
const recordingsInFull = 4

// sizesOf says how much work the experiment has, and how much two points do if
// they do another amount.
func (e *experiment) sizesOf(pair [2]*subject) string {
	all := e.size.describe(pair[0].n)
	for _, s := range pair {
		if s.p.size != nil {
			all += fmt.Sprintf(" (%s: %s)", nameAt(e, s.p.label, s.p.x), s.p.size(s.n))
		}
	}
	return all
}

// defaultPair names the two points that are compared if none are named.
func defaultPair(points []point) []string {
	names := each(points, func(p point) string { return p.name() })
	for _, p := range points {
		few, many := point{label: p.label, x: fewDiagnosed}, point{label: p.label, x: manyDiagnosed}
		if pair := []string{few.name(), many.name()}; slices.Contains(names, pair[0]) && slices.Contains(names, pair[1]) {
			return pair
		}
	}
	return names[:min(2, len(names))]
}

func nameAt(e *experiment, label string, x float64) string {
	if e.axis.Name == "" {
		return label
	}
	return fmt.Sprintf("%s, %s %g", label, e.axis.Name, x)
}
