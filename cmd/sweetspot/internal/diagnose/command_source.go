package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/recording"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/statusline"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A source makes the evidence. All that comes after it, causes, ranking and reports, is the
// same for each.
type source struct {
	what   string          // in the words of the command line
	runs   bool            // it has work run here, so that this machine matters
	saved  recording.Saved // what the command line says of recordings, apart from their files
	line   *statusline.Line
	record func(ctx context.Context) ([]*evidence.Observation, []record.Failure, error)
}

// source says where the evidence comes from: benchmarks, a command, a program that runs,
// or files.
func (o *options) source(flags *pflag.FlagSet, errOut io.Writer) (source, error) {
	from := source{line: statusline.On(errOut, os.Getenv("TERM"), term.GetSize)}
	for _, none := range []struct {
		flag string
		is   bool
	}{{"rounds", o.Rounds < 1}, {"benchtime", o.BenchTime <= 0}, {"seconds", o.seconds < 1}} {
		if none.is && flags.Changed(none.flag) {
			return from, fmt.Errorf("--%s is %v, want more than 0", none.flag, flags.Lookup(none.flag).Value)
		}
	}
	if o.tags != "" {
		o.BuildFlags = []string{"-tags=" + o.tags}
	}
	args, dash := flags.Args(), flags.ArgsLenAtDash()
	program, files := "", []string(nil)
	addresses := slices.ContainsFunc(args, isAddress)
	if dash < 0 && !addresses {
		var err error
		if program, files, err = recording.Named(args); err != nil {
			return from, err
		}
	}
	if dash >= 0 || !addresses && len(files) == 0 {
		return from, o.measuring(&from, args, dash, errOut)
	}
	for name, set := range map[string]bool{
		"--bench": o.Bench != "", "--benchtime": o.BenchTime != 0, "--rounds": o.Rounds != 0, "--timeout": o.Most != 0,
	} {
		if set {
			return from, fmt.Errorf("%s is for what diagnose runs, and %s is recorded elsewhere", name, strings.Join(args, " "))
		}
	}
	if len(o.Procs) > 1 || len(o.Procs) == 1 && o.Procs[0] < 1 {
		return from, errors.New("of a recording, --procs is its one GOMAXPROCS, 1 or more")
	}
	saved := recording.Saved{Files: files, Program: program, Source: o.sourceDir, Seconds: float64(o.seconds)}
	if len(o.Procs) == 1 {
		saved.Procs = o.Procs[0]
	}
	from.saved = saved
	from.what = "sweetspot diagnose " + strings.Join(args, " ")
	if !addresses {
		if o.Keep != "" {
			return from, errors.New("--keep is for what diagnose records, and these are files already")
		}
		from.record = func(ctx context.Context) ([]*evidence.Observation, []record.Failure, error) {
			return o.read(ctx, saved, nil)
		}
		return from, nil
	}
	if len(args) > 1 {
		return from, fmt.Errorf("there are %d arguments, and one is a URL: want it alone, since all is recorded of one program at a time", len(args))
	}
	live := recording.Live{
		URL: args[0], Seconds: o.seconds,
		Notice: func(text string) { fmt.Fprintln(errOut, text) },
		Step:   func(text string) { from.line.Show(humanize.Clip(text, from.line.Width())) },
	}
	base, err := live.Base()
	if err != nil {
		return from, err
	}
	from.what = "sweetspot diagnose " + base.Redacted()
	from.record = func(ctx context.Context) ([]*evidence.Observation, []record.Failure, error) {
		dir, remove, err := dissect.Directory(o.Keep)
		if err != nil {
			return nil, nil, err
		}
		defer remove()
		recorded, notes, err := live.Record(ctx, dir)
		if err != nil {
			return nil, nil, err
		}
		recorded.Source, recorded.Procs = saved.Source, saved.Procs
		return o.read(ctx, recorded, notes)
	}
	return from, nil
}

func isAddress(word string) bool {
	return strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://")
}

// mostlyIdle is the part of the CPUs that are idle where a recording says little: 5 % of
// the time, the least that is reported, is then a quarter of all work.
const mostlyIdle = 0.8

// read makes an observation of recordings. What the compiler says of their source is asked
// here, which needs the go command.
func (o *options) read(ctx context.Context, saved recording.Saved, notes []string) ([]*evidence.Observation, []record.Failure, error) {
	ob, err := saved.Observe()
	if err != nil {
		return nil, nil, err
	}
	if idle := ob.Idle(); idle >= mostlyIdle {
		ob.Note("the CPUs were idle for %s of the time: what is below %s of all of it is not told, so record it under load", percent(idle), percent(worthwhile))
	}
	ob.Notes = append(ob.Notes, notes...)
	if err := record.HeapOf(ctx, ob, o.BuildFlags); err != nil {
		ob.Note("the compiler was not asked what it puts on the heap: %v", err)
	}
	return []*evidence.Observation{ob}, nil, nil
}

// measuring has benchmarks, or a command, run.
func (o *options) measuring(from *source, args []string, dash int, errOut io.Writer) error {
	if o.seconds != 0 || o.sourceDir != "" {
		return errors.New("--seconds and --source are for recordings, as files or from a URL")
	}
	from.runs = true
	o.Output, o.Input = errOut, os.Stdin
	o.Progress = func(done, all int, what string) {
		from.line.Show(humanize.Clip(fmt.Sprintf("%d of %d: %s", done+1, all, what), from.line.Width()))
	}
	o.Planned = func(benchmarks int, about time.Duration) {
		from.line.Clear()
		fmt.Fprintf(errOut, "%s: about %v, more if an operation is long or the machine is busy. Ctrl-C ends it with a report of what was recorded until then.\n",
			humanize.Count(benchmarks, "benchmarks"), about.Round(time.Second))
	}
	from.record = func(ctx context.Context) ([]*evidence.Observation, []record.Failure, error) {
		return record.Record(ctx, o.Options)
	}
	if dash < 0 {
		if o.Most != 0 {
			return errors.New("--timeout is for a command, after --")
		}
		o.Packages = args
		what := cmp.Or(strings.Join(args, " "), ".")
		if o.Bench != "" {
			what += " --bench " + o.Bench
		}
		from.what = "sweetspot diagnose " + what
		return nil
	}
	o.Command = args[dash:]
	switch {
	case len(o.Command) == 0:
		return errors.New("-- needs a command after it: a main package and its arguments, as in -- ./cmd/server -listen :0")
	case dash > 0:
		return fmt.Errorf("packages (%s) and a command were given: give only one of them", strings.Join(args[:dash], " "))
	case o.Bench != "" || o.BenchTime != 0:
		return errors.New("--bench and --benchtime are for benchmarks, and there is a command")
	}
	from.what = "sweetspot diagnose -- " + strings.Join(o.Command, " ")
	return nil
}
