package lab

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// diagnoseOptions are what the command line of diagnose says.
type diagnoseOptions struct {
	labels  []string
	workers []string
	size    string
	rounds  int
	keep    string
	json    string
}

func diagnoseCommand() *cobra.Command {
	o := &diagnoseOptions{}
	c := &cobra.Command{
		Use:   "diagnose ID",
		Short: "Compare what two points of an experiment do: profiles, trace, escapes",
		Long: `diagnose looks into two points of an experiment and compares them: a CPU profile,
a profile of allocations, an execution trace, and what the compiler says of the
variables of the work. Each is recorded several times, in turn, in fresh
processes. What differs is what every recording says.

The last part takes the go command and the modules that the work imports, from the
module cache; the source of the work is in this program.`,
		Example: `  sweetspot lab diagnose A3
  sweetspot lab diagnose A6 --workers 12,24 --size quick --keep recordings
  go tool trace recordings/Do-24/1/trace.out
  sweetspot lab diagnose D2 --label Slow,Parallel1`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeIDs,
		RunE: func(c *cobra.Command, args []string) error {
			return untilSignal(c, func(ctx context.Context) error {
				return o.execute(ctx, args[0], c.OutOrStdout(), c.ErrOrStderr())
			})
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.labels, "label", nil, "compare the points with `LABEL`, or with a label each (default the first that has them)")
	f.StringSliceVar(&o.workers, "workers", []string{"12", "24"}, "the two `POINTS` to compare on the axis of the experiment, such as numbers of workers; ignored if it has none")
	f.StringVar(&o.size, "size", "full", "do work of `SIZE`: quick, full, article")
	f.IntVar(&o.rounds, "rounds", 5, "record each `N` times; below 4 nothing is said to differ")
	f.StringVar(&o.keep, "keep", "", "keep the recordings in `DIR`, for go tool pprof and go tool trace")
	f.StringVar(&o.json, "json", "", "write the comparison as JSON to `FILE`; - is standard output, in place of the table")
	return c
}

func (o *diagnoseOptions) execute(ctx context.Context, id string, out, errOut io.Writer) (err error) {
	e, s, err := sized(id, o.size)
	if err != nil {
		return err
	}
	if o.rounds < 1 {
		return fmt.Errorf("--rounds is %d, want 1 or more", o.rounds)
	}
	d, err := o.diagnosis(runner{scale: s, rounds: o.rounds, progress: progressTo(errOut)}, e)
	if err != nil {
		return err
	}
	defer d.clean()
	var c *dissect.Comparison
	files := outfile.New(out)
	defer files.Close()
	if err := files.Add("--json", o.json, func(w io.Writer) error { return c.Write(w) }); err != nil {
		return err
	}
	if c, err = d.diagnose(ctx); err != nil {
		return err
	}
	if err := files.Write(); err != nil || files.TakesStdout() {
		return err
	}
	return d.print(out, c)
}

// diagnosis returns that of the points that the flags ask for.
func (o *diagnoseOptions) diagnosis(r runner, e *experiment) (*diagnosis, error) {
	d := &diagnosis{runner: r, e: e, n: e.size.at(r.scale)}
	var err error
	if d.pair, err = o.pair(e, r.scale); err != nil {
		return nil, err
	}
	d.dir, d.clean, err = o.directory()
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
	fmt.Fprintf(out, "%s  %s: %s and %s\n%s, GOMAXPROCS %d, %s\n", d.e.id, d.e.title, c.A, c.B, d.e.sizesOf(d.n, d.pair), runtime.GOMAXPROCS(0), runtime.Version())
	return c.Print(out)
}

// inFull returns what diagnose prints of the two points that the article compared.
func (r *runner) inFull(ctx context.Context) (string, error) {
	o := &diagnoseOptions{workers: []string{strconv.Itoa(fewDiagnosed), strconv.Itoa(manyDiagnosed)}}
	d, err := o.diagnosis(runner{scale: r.scale, rounds: min(r.rounds, recordingsInFull), progress: r.progress}, a3())
	if err != nil {
		return "", err
	}
	defer d.clean()
	c, err := d.diagnose(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = d.print(&b, c)
	return b.String(), err
}

// recordingsInFull is how many recordings of each it takes to say what differs, if there are as many
// rounds.
const recordingsInFull = 4

// sizesOf tells how much work there is, and how much of it two points do if they
// do another amount.
func (e *experiment) sizesOf(n int, pair [2]point) string {
	all := e.size.describe(n)
	for _, p := range pair {
		if p.size != nil {
			all += fmt.Sprintf(" (%s: %s)", nameAt(e, p.label, p.x), p.size(n))
		}
	}
	return all
}

// pair returns the two points that the flags ask for. Points beside the measure of
// the experiment do the same work again, so there is nothing in them to look for.
func (o *diagnoseOptions) pair(e *experiment, s scale) ([2]point, error) {
	var pair [2]point
	points := slices.DeleteFunc(e.points(s), func(p point) bool { return p.aside })
	if len(o.labels) > 2 {
		return pair, fmt.Errorf("--label has %d labels, want one for both points, or one for each", len(o.labels))
	}
	var xs [2]float64
	if e.axis.Name != "" {
		if len(o.workers) != 2 {
			return pair, fmt.Errorf("--workers is %s, want two numbers, as in 12,24", strings.Join(o.workers, ","))
		}
		for i, text := range o.workers {
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil {
				return pair, fmt.Errorf("--workers is %s, want two numbers, as in 12,24", strings.Join(o.workers, ","))
			}
			xs[i] = x
		}
	}
	labels := o.labelsOf(e, points, xs)
	for i := range pair {
		at := slices.IndexFunc(points, func(p point) bool { return p.label == labels[i] && p.x == xs[i] })
		if at < 0 {
			return pair, fmt.Errorf("experiment %s has no point %s at size %s: there is %s", e.id, nameAt(e, labels[i], xs[i]), s, listOf(e, points))
		}
		pair[i] = points[at]
	}
	if pair[0].name() == pair[1].name() {
		return pair, fmt.Errorf("both points are %s: there is nothing to compare", nameAt(e, pair[0].label, pair[0].x))
	}
	return pair, nil
}

// labelsOf returns those given, or the first label that has both places; without
// an axis the first two.
func (o *diagnoseOptions) labelsOf(e *experiment, points []point, xs [2]float64) [2]string {
	switch {
	case len(o.labels) == 2:
		return [2]string{o.labels[0], o.labels[1]}
	case len(o.labels) == 1 && e.axis.Name != "":
		return [2]string{o.labels[0], o.labels[0]}
	case len(o.labels) == 1:
		return [2]string{points[0].label, o.labels[0]}
	case e.axis.Name == "" && len(points) > 1:
		return [2]string{points[0].label, points[1].label}
	}
	has := func(label string, x float64) bool {
		return slices.ContainsFunc(points, func(p point) bool { return p.label == label && p.x == x })
	}
	for _, p := range points {
		if has(p.label, xs[0]) && has(p.label, xs[1]) {
			return [2]string{p.label, p.label}
		}
	}
	return [2]string{points[0].label, points[0].label}
}

func nameAt(e *experiment, label string, x float64) string {
	if e.axis.Name == "" {
		return label
	}
	return fmt.Sprintf("%s, %s %g", label, e.axis.Name, x)
}

// listOf names the points, those of a label together.
func listOf(e *experiment, points []point) string {
	var parts []string
	last := ""
	for _, p := range points {
		switch {
		case p.label != last:
			parts = append(parts, nameAt(e, p.label, p.x))
		default:
			parts[len(parts)-1] += fmt.Sprintf(" %g", p.x)
		}
		last = p.label
	}
	return strings.Join(parts, "; ")
}

// directory returns where recordings go, and what ends their life there.
func (o *diagnoseOptions) directory() (string, func(), error) {
	if o.keep == "" {
		dir, err := os.MkdirTemp("", "sweetspot-diagnose-")
		return dir, func() { os.RemoveAll(dir) }, err
	}
	if err := os.MkdirAll(o.keep, 0o777); err != nil {
		return "", nil, fmt.Errorf("--keep: %w", err)
	}
	there, err := os.ReadDir(o.keep)
	if err != nil {
		return "", nil, fmt.Errorf("--keep: %w", err)
	}
	if len(there) > 0 {
		return "", nil, fmt.Errorf("--keep: %s is not empty, and recordings of another time would be mixed with these", o.keep)
	}
	dir, err := filepath.Abs(o.keep)
	return dir, func() {}, err
}
