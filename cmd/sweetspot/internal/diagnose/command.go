package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

type options struct {
	record.Options
	tags      string
	json      string
	html      string
	sarif     string
	base      []string
	seconds   int
	sourceDir string
	fail      bool
}

// Command returns the diagnose command.
func Command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "diagnose [flags] [packages | -- command | [program] files | URL]",
		Short: "Find out by measurement where concurrency in Go code loses time",
		Long: `diagnose runs benchmarks, or a command, or reads profiles and traces, and says
where concurrency loses time: goroutines that are started for next to no work,
channels that carry one cheap item at a time, cache lines and locks that CPUs
fight over. The causes are ranked by the time that could be won. Each has its
line, what it costs, what shows it, and what fixes it.

What it runs, it measures at each GOMAXPROCS, in turn, in separate processes. Further
processes take profiles of CPU time, allocations, locks and blocking, and an
execution trace. The report adds what sweetspot vet, with --info, says about the
lines that ran. Nothing else should run on the machine meanwhile: noise hides causes.

Benchmarks are those of the packages, or of the one in the working directory.
Benchmarks whose names differ only by workers=1, workers=2 and so on count as one
with several numbers of workers.

A command is a main package, as a directory or an import path, and its arguments; or
"go run" and these. It is built anew, so that it can be recorded; the source tree is
not touched. It should end by itself, or --timeout ends it. Each run reads the same
standard input; that of a pipe is read to its end first.

Files are profiles (CPU, mutex, block, heap, goroutine) and execution traces of one
program, in any order. The more there are, the more the report can say; a CPU
profile and a trace are best. As with go tool pprof, the program may come first.

A URL is that of /debug/pprof of a running program. The program is asked for
profiles during --seconds and then for a trace, which slow it down meanwhile.`,
		Example: `  sweetspot diagnose                       # all benchmarks of this directory
  sweetspot diagnose --bench 'Sum|Walk' --html sum.html ./...
  sweetspot diagnose --timeout 10s -- ./cmd/server -listen :0
  sweetspot diagnose -- go run . <input.txt
  sweetspot diagnose cpu.pprof mutex.pprof trace.out
  sweetspot diagnose --seconds 5 http://localhost:6060/debug/pprof
  sweetspot diagnose --base before.json ./...      # what has changed`,
		// The flags are parsed by execute, since go test spells -bench with one dash.
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if err := c.Flags().Parse(spelled(args)); err != nil {
				if errors.Is(err, pflag.ErrHelp) {
					return c.Help()
				}
				return c.FlagErrorFunc()(c, err)
			}
			if help, err := c.Flags().GetBool("help"); err == nil && help {
				return c.Help()
			}
			// What the checks look at takes hundreds of megabytes, so the collector may run
			// as often as in other programs.
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(100)
			}
			ctx, stop := exitcode.UntilSignal(c.Context())
			defer stop()
			if err := o.execute(ctx, c.Flags(), c.OutOrStdout(), c.ErrOrStderr()); err != nil {
				if e, ok := errors.AsType[*exitcode.Error](err); ok {
					return e
				}
				return exitcode.Of(ctx, fmt.Errorf("diagnose: %w", err))
			}
			return nil
		},
	}
	f := c.Flags()
	f.StringVar(&o.Bench, "bench", "", "run the benchmarks that match `REGEXP`, as go test does (default all)")
	f.IntSliceVar(&o.Procs, "procs", nil, "set GOMAXPROCS to these `VALUES` in turn (default 1, 2, 4 and so on, up to all CPUs); for files, what it was if no trace says it")
	f.IntVar(&o.Rounds, "rounds", 0, "measure `N` times at each of them (default 6, and 3 for a command)")
	f.Var((*humanize.Time)(&o.BenchTime), "benchtime", "let each measurement of a benchmark last `TIME` (default 300ms)")
	f.Var((*humanize.Time)(&o.Most), "timeout", "interrupt the command after `TIME`, which is not an error")
	f.StringVar(&o.tags, "tags", "", "set these build `TAGS`, separated by commas")
	f.StringVar(&o.Keep, "keep", "", "keep profiles and traces in `DIR`, for go tool pprof and go tool trace")
	f.IntVar(&o.seconds, "seconds", 0, "record a URL for `N` seconds (default 10); for files, how long they were recorded if they do not say it")
	f.StringVar(&o.sourceDir, "source", "", "look for the source of a recorded program in the module of `DIR` (default the current one)")
	f.StringArrayVar(&o.base, "base", nil, "say what has changed since the report that --json wrote to `FILE`, or since a recording; may be repeated for recordings of the same time")
	f.StringVar(&o.sarif, "sarif", "", "write the findings as SARIF 2.1.0 to `FILE`; - is standard output, in place of the text")
	f.StringVar(&o.json, "json", "", "write the report as JSON to `FILE`; - is standard output, in place of the text")
	f.StringVar(&o.html, "html", "", "write the report with plots as a page to `FILE`")
	f.BoolVar(&o.fail, "fail", false, "exit with 1 if there is anything to fix")
	return c
}

// spelled has flags with one dash, as go test spells them, with two.
func spelled(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		for _, name := range []string{"bench", "benchtime", "tags"} {
			if a == "-"+name || strings.HasPrefix(a, "-"+name+"=") {
				args[i] = "-" + a
			}
		}
	}
	return args
}

// execute has a source make the evidence, examines it, and reports.
func (o *options) execute(ctx context.Context, flags *pflag.FlagSet, out, errOut io.Writer) error {
	from, err := o.source(flags, errOut)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	base, before, err := o.earlier(ctx, from.saved)
	if err != nil {
		return fmt.Errorf("--base: %w", err)
	}
	var r *Report
	files := outfile.New(out)
	defer files.Close()
	if err := cmp.Or(
		files.Add("--html", o.html, func(w io.Writer) error { return r.WriteHTML(w, dir) }),
		files.Add("--json", o.json, func(w io.Writer) error { return r.WriteJSON(w) }),
		files.Add("--sarif", o.sarif, func(w io.Writer) error { return r.WriteSARIF(w, dir) }),
	); err != nil {
		return err
	}
	run := Recorded{What: from.what, Began: time.Now(), Steady: 1}
	if from.runs {
		run.Steady = o.Steadiness()
	}
	all, failed, err := from.record(ctx)
	from.line.Clear()
	ended := context.Cause(ctx)
	var names []string
	for _, f := range failed {
		names = append(names, f.Name)
		if len(all) == 0 {
			err = errors.Join(err, f)
		}
	}
	if err != nil && (ended == nil || len(all) == 0) {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: no benchmark was run: want one that --bench matches, in a file whose name ends in _test.go", from.what)
	}
	static, notes := o.static(ctx, slices.Concat(all, before))
	if from.runs {
		run.Rounds = len(all[0].Largest().Seconds)
		if ended == nil {
			// Before and after: what the machine does beside may change.
			run.Steady = max(run.Steady, o.Steadiness())
		}
	}
	run.Seconds = time.Since(run.Began).Seconds()
	r = reportOn(all, static, run)
	if base != nil {
		if before != nil {
			base = reportOn(before, static, base.Run)
		}
		r.Compared = compare(base, r)
	}
	if ended != nil {
		r.Notes = append(r.Notes, fmt.Sprintf("This was ended (%v) before all were recorded: %s are reported.", ended, humanize.Count(len(all), "benchmarks")))
	}
	r.Notes = append(r.Notes, notes...)
	for _, f := range failed {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was not recorded: %v.", f.Name, f.Err))
	}
	err = files.Write()
	if !files.TakesStdout() {
		err = errors.Join(err, r.Print(out, dir))
	}
	if err != nil {
		return err
	}
	switch {
	case ended != nil:
		return fmt.Errorf("ended before all were recorded: %w", ended)
	case o.fail && r.Lost():
		return &exitcode.Error{Code: 1}
	case len(failed) > 0:
		return fmt.Errorf("%d not recorded: %s", len(failed), strings.Join(names, ", "))
	}
	return nil
}

// static has sweetspot vet look at the packages that were recorded. That it cannot is
// told, and no error: the measurements stand by themselves.
func (o *options) static(ctx context.Context, all []*evidence.Observation) ([]Static, []string) {
	if err := context.Cause(ctx); err != nil {
		return nil, []string{"sweetspot vet has not looked at the source: there was no time left."}
	}
	var patterns []string
	for _, ob := range all {
		if ob.Package != "" && !slices.Contains(patterns, ob.Package) {
			patterns = append(patterns, ob.Package)
		}
	}
	// The packages that their lines are in, too.
	if patterns = append(patterns, directories(all)...); len(patterns) == 0 {
		return nil, nil // no source is here
	}
	found, err := inspectSource(ctx, all[0].Module, patterns, o.BuildFlags)
	if err != nil {
		return nil, []string{fmt.Sprintf("The source was not looked at: %v.", err)}
	}
	return found, nil
}

func directories(all []*evidence.Observation) []string {
	var dirs []string
	for _, o := range all {
		p := o.Largest()
		for _, w := range []*dissect.Weighing{p.Profile, p.Mutex, p.Block} {
			if w != nil {
				for _, l := range w.Lines {
					dirs = o.AddDirectory(dirs, l.Place)
				}
			}
		}
		if p.Activity != nil {
			for _, s := range p.Activity.Spawns {
				dirs = o.AddDirectory(dirs, s.Place)
			}
		}
	}
	return dirs
}
