package vetcmd

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

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis"

	"github.com/sweetspot-go/sweetspot/internal/exitcode"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/outfile"
	"github.com/sweetspot-go/sweetspot/vet"
)

type options struct {
	info          bool
	only, without []string
	tests         bool
	tags          string
	json, sarif   string
	baseline      string
	writeBaseline bool
	fix, diff     bool
	fail          string
	severity      map[string]string // by check
	numbers       bool
}

// never is the value of --fail with which findings do not count.
const never = "never"

// Command returns the vet command.
func Command() *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "vet [flags] [packages]",
		Short: "Find concurrency in Go code that costs more than it gains",
		Long: `vet looks at Go packages, that of the working directory if none is named, for
concurrency that costs more than it gains: goroutines that write to one cache
line, recursions that start a goroutine per call, channels that carry one cheap
item at a time. A finding says what happens, what it costs, and what fixes it.

` + checkList() + `

By default only findings that are worth reading in any project are shown. --info
adds those that are often deliberate. A comment on the line of a finding, or on
the line above, silences it:

  //sweetspot:ignore CHECK REASON

--numbers lists, in place of findings, the numbers that bound concurrency and were
chosen by hand, such as limits, workers and pools: what the work behind each does,
and which call finds the number at run time. That is not a verdict: the exit
status is 0.

The go command must be installed. It can also run the checks, and caches their
results; then flags have one dash, as in -info or -falseshare=false:

  go vet -vettool="$(command -v sweetspot)" ./...

The exit status is 0 if nothing was found, 1 if something was, 255 if
packages could not be looked at, and 130 or 143 after INT or TERM.`,
		Example: `  sweetspot vet ./...
  sweetspot vet --info --without unboundedgo ./internal/...
  sweetspot vet --diff ./...                    # what --fix would change
  sweetspot vet --baseline vet.txt --write-baseline ./...
  sweetspot vet --baseline vet.txt ./...        # only what is new
  sweetspot vet --severity shardpad=note,recspawn=error ./...
  sweetspot vet --sarif vet.sarif --fail never ./...
  sweetspot vet --numbers ./...`,
		RunE: func(c *cobra.Command, args []string) error {
			// The heap is hundreds of megabytes here, so the collector may run as often as
			// it does in other programs.
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(100)
			}
			ctx, stop := exitcode.UntilSignal(c.Context())
			defer stop()
			return exitcode.Of(ctx, o.execute(ctx, args, c.OutOrStdout(), c.ErrOrStderr()))
		},
	}
	f := c.Flags()
	f.BoolVar(&o.info, "info", false, "also show findings that are often deliberate")
	f.StringSliceVar(&o.only, "only", nil, "run only these `CHECKS`, separated by commas")
	f.StringSliceVar(&o.without, "without", nil, "run all but these `CHECKS`")
	f.BoolVar(&o.tests, "tests", false, "look at test files, too")
	f.StringVar(&o.tags, "tags", "", "set these build `TAGS`, separated by commas")
	f.StringVar(&o.json, "json", "", "write findings as JSON to `FILE`; - is standard output, in place of the text")
	f.StringVar(&o.sarif, "sarif", "", "write findings as SARIF 2.1.0 to `FILE`; - is standard output, in place of the text")
	f.StringVar(&o.baseline, "baseline", "", "leave out findings that are in `FILE`")
	f.BoolVar(&o.writeBaseline, "write-baseline", false, "write the findings of this run, and no others, to the file of --baseline")
	f.BoolVar(&o.fix, "fix", false, "fix what can be fixed mechanically, and show the rest")
	f.BoolVar(&o.diff, "diff", false, "print what --fix would change, in place of the findings")
	f.StringVar(&o.fail, "fail", vet.Quiet.String(), "exit with 1 if there is a finding of `GRADE`: quiet (shown without --info, or not a note by --severity), info (any) or never")
	f.StringToStringVar(&o.severity, "severity", nil, "make findings of checks error, warning or note, as in `CHECK=SEVERITY`,...; a note leaves the exit status 0")
	f.Lookup("severity").DefValue = "" // help would show []
	f.BoolVar(&o.numbers, "numbers", false, "list the numbers that bound concurrency, in place of findings")
	c.MarkFlagsMutuallyExclusive("only", "without")
	for _, name := range []string{"info", "only", "without", "fix", "diff", "fail", "severity"} {
		c.MarkFlagsMutuallyExclusive("numbers", name)
	}
	c.MarkFlagsMutuallyExclusive("fix", "diff")
	c.MarkFlagsMutuallyExclusive("fix", "baseline")
	c.MarkFlagsMutuallyExclusive("diff", "baseline")
	return c
}

func checkList() string {
	var b strings.Builder
	b.WriteString("Checks:")
	quiet := vet.Analyzers(vet.Quiet)
	for _, a := range vet.Analyzers(vet.Info) {
		title, _, _ := strings.Cut(a.Doc, "\n")
		note := ""
		if !slices.ContainsFunc(quiet, func(q *analysis.Analyzer) bool { return q.Name == a.Name }) {
			note = " (--info)"
		}
		fmt.Fprintf(&b, "\n  %-12s %s%s", a.Name, title, note)
	}
	return b.String()
}

// execute runs the command. What the flags say is checked, and files are opened,
// before anything is looked at.
func (o *options) execute(ctx context.Context, patterns []string, out, diagnostics io.Writer) error {
	analyzers, err := o.analyzers()
	if err != nil {
		return err
	}
	if !slices.Contains([]string{vet.Quiet.String(), vet.Info.String(), never}, o.fail) {
		return fmt.Errorf("vet: --fail %q: want quiet, info or never", o.fail)
	}
	if o.fail == vet.Info.String() && !o.info {
		return fmt.Errorf("vet: --fail info without --info: there would be no findings of that grade")
	}
	if o.diff && (o.json == "-" || o.sarif == "-") {
		return errors.New("vet: --diff writes to standard output, so --json and --sarif need the name of a file")
	}
	if o.writeBaseline && o.baseline == "" {
		return errors.New("vet: --write-baseline needs --baseline FILE, the file to write")
	}
	known, err := o.known()
	if err != nil {
		return fmt.Errorf("vet: --baseline: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("vet: %w", err)
	}
	var r *Result
	hidden := 0 // by the baseline
	files := outfile.New(out)
	defer files.Close()
	if err := cmp.Or(
		files.Add("--json", o.json, func(w io.Writer) error { return writeJSON(w, r, hidden, dir) }),
		files.Add("--sarif", o.sarif, func(w io.Writer) error { return writeSARIF(w, r, analyzers, dir) }),
	); err != nil {
		return fmt.Errorf("vet: %w", err)
	}
	request := Request{Patterns: patterns, Tests: o.tests, Analyzers: analyzers}
	if o.tags != "" {
		request.Flags = []string{"-tags=" + o.tags}
	}
	if o.fix || o.diff {
		tested := request
		tested.Tests = true // they may depend on what a fix changes
		if r, err = Check(ctx, tested); err != nil {
			return err
		}
		if err := o.change(r, out, dir); err != nil {
			return fmt.Errorf("vet: %w", err)
		}
	}
	if r, err = Check(ctx, request); err != nil {
		return err
	}
	for _, b := range r.Broken {
		fmt.Fprintf(diagnostics, "sweetspot: vet: %s: %v\n", b.Package, b.Err)
	}
	o.setSeverities(r.Findings)
	left, gone := r.unknown(known, analyzers)
	hidden = len(r.Findings) - len(left)
	r.Findings = left
	if gone > 0 && len(r.Broken) == 0 {
		fmt.Fprintf(diagnostics, "sweetspot: vet: %s of %s not found any more; write it anew with --write-baseline, for all packages and checks that it is for\n", humanize.Count(gone, "lines"), o.baseline)
	}
	var unwritten error
	if err := files.Write(); err != nil {
		unwritten = fmt.Errorf("vet: %w", err)
	}
	if o.writeBaseline {
		return errors.Join(unwritten, o.rewrite(r, diagnostics))
	}
	if !files.TakesStdout() && !o.diff {
		write := writeText
		if o.numbers {
			write = writeNumbers
		}
		if err := write(out, r.Findings, dir); err != nil {
			return errors.Join(unwritten, fmt.Errorf("vet: %w", err))
		}
	}
	if unwritten != nil {
		return unwritten
	}
	if len(r.Broken) > 0 {
		return fmt.Errorf("vet: %s could not be looked at", humanize.Count(len(r.Broken), "packages"))
	}
	if o.fails(r.Findings) {
		return &exitcode.Error{Code: 1}
	}
	return nil
}

// change applies the fixes of findings, or writes what they would change.
func (o *options) change(r *Result, out io.Writer, dir string) error {
	all, err := changes(r.Findings)
	if err != nil {
		return err
	}
	if o.diff {
		return writeDiff(out, all, dir)
	}
	for _, c := range all {
		if err := os.WriteFile(c.file, c.after, 0o666); err != nil { // it exists, and keeps its mode
			return err
		}
	}
	return nil
}

func (o *options) analyzers() ([]*analysis.Analyzer, error) {
	upTo := vet.Quiet
	if o.info {
		upTo = vet.Info
	}
	var settings []vet.Option
	if o.tests {
		settings = append(settings, vet.Tests())
	}
	if o.numbers {
		return []*analysis.Analyzer{vet.Numbers(settings...)}, nil
	}
	all := vet.Analyzers(upTo, settings...)
	for _, name := range slices.Concat(o.only, o.without) {
		if err := exists(name, all, o.info); err != nil {
			return nil, err
		}
	}
	if err := o.checkSeverities(all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a *analysis.Analyzer) bool {
		return len(o.only) > 0 && !slices.Contains(o.only, a.Name) || slices.Contains(o.without, a.Name)
	}), nil
}

// exists returns an error if name is not that of an analyzer that can run.
func exists(name string, all []*analysis.Analyzer, info bool) error {
	named := func(a *analysis.Analyzer) bool { return a.Name == name }
	if slices.ContainsFunc(all, named) {
		return nil
	}
	if !info && slices.ContainsFunc(vet.Analyzers(vet.Info), named) {
		return fmt.Errorf("vet: the check %s has findings with --info only", name)
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
	}
	for _, a := range vet.Analyzers(vet.Info) {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name+" (with --info)")
		}
	}
	return fmt.Errorf("vet: there is no check %q; the checks are %s", name, strings.Join(names, ", "))
}

func (o *options) known() (map[string]int, error) {
	if o.baseline == "" || o.writeBaseline {
		return nil, nil
	}
	text, err := os.ReadFile(o.baseline)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; --write-baseline writes it", err)
	}
	if err != nil {
		return nil, err
	}
	known, err := readBaseline(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.baseline, err)
	}
	return known, nil
}

// rewrite writes the baseline, unless findings may be missing.
func (o *options) rewrite(r *Result, diagnostics io.Writer) error {
	if n := len(r.Broken); n > 0 {
		return fmt.Errorf("vet: %s could not be looked at, so the baseline is not written", humanize.Count(n, "packages"))
	}
	if err := os.WriteFile(o.baseline, []byte(baselineOf(r.Findings)), 0o666); err != nil {
		return fmt.Errorf("vet: --write-baseline: %w", err)
	}
	fmt.Fprintf(diagnostics, "sweetspot: vet: %s in %s\n", humanize.Count(len(r.Findings), "findings"), o.baseline)
	return nil
}
