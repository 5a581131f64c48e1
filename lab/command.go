package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

// Command returns the lab command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Run the experiments of the articles on this machine, with our answers",
		Long: `lab runs the experiments of five articles about goroutines, channels, caches and
feedback control. It shows what each article claims, what this machine shows, and
how sweetspot does on the same work.

list names the experiments, and run measures them. report writes pages and pictures
again from the figures of a run. compare measures two points of an experiment for as
long as you like, and diagnose compares what they do.`,
		Example: `  sweetspot lab run all --quick --html lab.html
  sweetspot lab diagnose A3 Do/12 Do/24`,
	}
	c.AddCommand(listCommand(), runCommand(), reportCommand(), compareCommand(), diagnoseCommand(), measureCommand(), serveCommand())
	return c
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the experiments",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 8, 2, ' ', 0)
			for _, e := range experiments() {
				fmt.Fprintf(t, "%s\t%s\t%s\n", e.id, e.title, e.claim)
			}
			return t.Flush()
		},
	}
}

// runOptions are what the command line of run says.
type runOptions struct {
	quick  bool
	size   string
	rounds int
	outputs
}

func runCommand() *cobra.Command {
	o := &runOptions{}
	c := &cobra.Command{
		Use:   "run ID... | all",
		Short: "Run experiments",
		Long: `run measures experiments, named by their IDs, by the letter of an article, or as
all. A round measures all their points in turn, each in a fresh process. A figure is
the median of its rounds with its interval of 95 % confidence; ratios are formed
within rounds, and the result of every run is checked.

If an experiment cannot be measured, the others go on; all reports say why it
failed, and the exit code is 255. INT and TERM end the run; files stay as they were.
A sample that takes more than 5 minutes fails, except with --size article.

The figures of --json have a schema and a version, and sweetspot lab report writes
the other reports from them. To compare runs of two machines, or of two versions of Go
or of this library, give the files of --bench to benchstat.`,
		Example: `  sweetspot lab run all --quick
  sweetspot lab run A6 D --json lab.json --html lab.html
  sweetspot lab run B2 --size article --rounds 6
  sweetspot lab run C --bench new.txt && benchstat old.txt new.txt`,
		ValidArgsFunction: completeIDs,
		RunE: func(c *cobra.Command, names []string) error {
			if len(names) == 0 {
				return errors.New("lab run: which experiments? IDs as in lab list, the letter of an article, or all")
			}
			if err := roundsOf(c); err != nil {
				return err
			}
			return untilSignal(c, func(ctx context.Context) error {
				return o.execute(ctx, names, c.OutOrStdout(), c.ErrOrStderr())
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&o.quick, "quick", false, "do small work in few rounds: 6 minutes for everything on 2 CPUs")
	f.StringVar(&o.size, "size", "full", "do work of `SIZE`: quick, full (an hour for everything on 2 CPUs) or article (that of the articles)")
	f.IntVar(&o.rounds, "rounds", 0, "measure everything in `N` rounds (default 6, but 2 for streams with --quick, and more for a few points in the full size); with fewer than 6, the table shows the span of the samples instead of a confidence interval; with 1, verdicts are left out")
	o.outputs.flags(c)
	c.MarkFlagsMutuallyExclusive("quick", "size")
	return c
}

// words wants at least one word and at most the given number; none is the error for
// no word.
func words(most int, none string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return errors.New(none)
		case len(args) > most:
			return fmt.Errorf("%s is left over", args[most])
		}
		return nil
	}
}

// roundsOf returns an error if --rounds was given, and is too few.
func roundsOf(c *cobra.Command) error {
	if rounds, _ := c.Flags().GetInt("rounds"); rounds < 1 && c.Flags().Changed("rounds") {
		return fmt.Errorf("lab %s: --rounds is %d, want 1 or more", c.Name(), rounds)
	}
	return nil
}

// untilSignal runs a command until a signal ends it.
func untilSignal(c *cobra.Command, do func(ctx context.Context) error) error {
	ctx, stop := exitcode.UntilSignal(c.Context())
	defer stop()
	if err := do(ctx); err != nil {
		return exitcode.Of(ctx, fmt.Errorf("lab %s: %w", c.Name(), err))
	}
	return nil
}

// ofPair lets c take an experiment and two of its points, which it passes to do,
// and --size.
func ofPair(c *cobra.Command, do func(ctx context.Context, e *experiment, s scale, points []string, out, errOut io.Writer) error) {
	size := c.Flags().String("size", "full", "do work of `SIZE`: quick, full, article")
	c.Args, c.ValidArgsFunction = words(3, "which experiment? one ID as in lab list"), completeID
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := roundsOf(c); err != nil {
			return err
		}
		return untilSignal(c, func(ctx context.Context) error {
			e := find(args[0])
			if e == nil {
				return fmt.Errorf("unknown experiment %q: want %s", args[0], ids())
			}
			s, err := scaleNamed(*size)
			if err != nil {
				return err
			}
			return do(ctx, e, s, args[1:], c.OutOrStdout(), c.ErrOrStderr())
		})
	}
}

// errFailed is returned when an experiment could not be measured; the report
// says why.
var errFailed = errors.New("some experiments failed")

// execute runs the command. Nothing is measured before all input is known to be
// good and all files can be written.
func (o *runOptions) execute(ctx context.Context, names []string, out, errOut io.Writer) error {
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	if o.quick {
		o.size = quick.String()
	}
	s, err := scaleNamed(o.size)
	if err != nil {
		return err
	}
	var f *figures.File
	files, err := o.outputs.open(out, &f)
	if err != nil {
		return err
	}
	defer files.Close()
	r := &runner{chosen: chosen, scale: s, rounds: cmp.Or(o.rounds, enoughRounds), forAll: o.rounds > 0, progress: progressTo(errOut)}
	digest, err := behaviour()
	if err != nil {
		return err
	}
	if f, err = r.measure(ctx); err != nil {
		return err
	}
	f.Run.Behaviour = digest
	if err := o.outputs.write(files, f, out); err != nil {
		return err
	}
	if failed := f.Count().Failed; len(failed) > 0 {
		return fmt.Errorf("%w: %s", errFailed, strings.Join(failed, ", "))
	}
	return nil
}

func reportCommand() *cobra.Command {
	o := &outputs{}
	c := &cobra.Command{
		Use:   "report FILE",
		Short: "Write the reports again, from the figures of a run",
		Long: `report reads the figures that run has written with --json (- is standard input),
prints the table, and writes the other reports, byte for byte as run would have
written them. It measures nothing.

Where this version of sweetspot knows why a claim is undecided, or why ours falls
short, its words replace those of the file; --json writes the figures with them.`,
		Example: `  sweetspot lab run all --json lab.json
  sweetspot lab report lab.json --html lab.html --svg pictures`,
		Args: words(1, "which figures? a FILE that lab run has written with --json"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.again(args[0], c.InOrStdin(), c.OutOrStdout()); err != nil {
				return fmt.Errorf("lab report: %w", err)
			}
			return nil
		},
	}
	o.flags(c)
	return c
}

// again writes reports from the figures in a file.
func (o *outputs) again(path string, in io.Reader, out io.Writer) error {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	f, err := figures.Read(in)
	if err != nil {
		return err
	}
	explainAll(f)
	files, err := o.open(out, &f)
	if err != nil {
		return err
	}
	defer files.Close()
	return o.write(files, f, out)
}

// measureCommand is what run starts for each sample.
func measureCommand() *cobra.Command {
	return &cobra.Command{
		Use: "measure ORDER", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return Measure(args[0], c.OutOrStdout()) },
	}
}

// serveCommand is what experiments start for each of their servers.
func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve SERVICE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return Serve(args[0], c.InOrStdin(), c.OutOrStdout()) },
	}
}

// outputs are what to write, by flag. A file may be -, standard output.
type outputs struct{ json, html, bench, svg string }

func (o *outputs) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.json, "json", "", "write the figures as JSON to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.html, "html", "", "write a page with plots, which needs nothing else, to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.bench, "bench", "", "write the samples in the format of Go benchmarks, for benchstat, to `FILE`; - is standard output, in place of the table")
	f.StringVar(&o.svg, "svg", "", "write the plots as SVG files, such as overview.svg and a6.svg, to `DIR`")
}

// open opens the files before anything is measured, to be sure that they can be
// written. Their content stays until they are written, with *f.
func (o *outputs) open(stdout io.Writer, f **figures.File) (*outfile.Files, error) {
	all := outfile.New(stdout)
	fill := func(write func(*figures.File, io.Writer) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(*f, w) }
	}
	err := cmp.Or(
		all.Add("--json", o.json, fill((*figures.File).Write)),
		all.Add("--html", o.html, fill(report.HTML)),
		all.Add("--bench", o.bench, fill(report.Benchmarks)),
	)
	if err == nil && o.svg != "" {
		if err = os.MkdirAll(o.svg, 0o777); err != nil {
			err = fmt.Errorf("--svg: %w", err)
		}
	}
	if err != nil {
		all.Close()
	}
	return all, err
}

// write writes all outputs that it can, and the table to standard output unless a flag took that.
func (o *outputs) write(files *outfile.Files, f *figures.File, stdout io.Writer) error {
	err := files.Write()
	if o.svg != "" {
		for _, p := range report.Pictures(f) {
			if e := os.WriteFile(filepath.Join(o.svg, p.Name), []byte(p.SVG), 0o666); e != nil {
				err = errors.Join(err, fmt.Errorf("--svg: %w", e))
				break
			}
		}
	}
	if !files.TakesStdout() {
		err = errors.Join(err, printTo(stdout, f))
	}
	return err
}
