package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	args     []string // as given, for the report
	groups   []group
	match    *regexp.Regexp // subjects to measure, nil for all
	rounds   int
	procs    int
	quick    bool
	patience time.Duration
	json     string
	out      string
}

// quickRounds are enough for a median that one disturbed sample cannot move.
const quickRounds = 3

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{args: args}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprintf(out, "Measures the parallel calls beside their peers.\n\nUsage: go run ./peers [flags]\n\n")
		f.PrintDefaults()
		fmt.Fprintf(out, "\nGroups:\n")
		for _, g := range groups() {
			fmt.Fprintf(out, "  %-9s %s\n", g.name, g.title)
		}
	}
	var only, match string
	f.StringVar(&only, "only", "", "groups, or beginnings of their `names`, with commas between them (default all)")
	f.StringVar(&match, "match", "", "measure only subjects (row/column@GOMAXPROCS) that match the `regexp`")
	f.IntVar(&o.rounds, "rounds", 0, fmt.Sprintf("`number` of rounds (default 10, with -quick %d)", quickRounds))
	f.IntVar(&o.procs, "procs", runtime.GOMAXPROCS(0), "GOMAXPROCS of what is measured in parallel")
	f.BoolVar(&o.quick, "quick", false, "small sizes, few rounds, no repetitions: a first look, to judge no bar by")
	f.DurationVar(&o.patience, "patience", 5*time.Minute, "`time` in all to wait for a quiet machine and to repeat disturbed samples; with -quick none")
	f.StringVar(&o.json, "json", "", "write all samples to a `file`")
	f.StringVar(&o.out, "o", "", "write the report to a `file` instead of stdout")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("%q is left over: all arguments are flags; see -h", f.Arg(0))
	}
	switch {
	case o.rounds < 0:
		return nil, fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case o.procs < 1:
		return nil, fmt.Errorf("-procs %d: want 1 or more", o.procs)
	case o.patience < 0:
		return nil, fmt.Errorf("-patience %v: want a time such as 5m, or 0s", o.patience)
	}
	if o.rounds == 0 {
		o.rounds = 10
		if o.quick {
			o.rounds = quickRounds
		}
	}
	if o.quick {
		o.patience = 0
	}
	var err error
	if match != "" {
		if o.match, err = regexp.Compile(match); err != nil {
			return nil, fmt.Errorf("-match: %w", err)
		}
	}
	o.groups, err = chosen(only)
	return o, err
}

// chosen returns the groups whose names begin with one of the words of a list,
// in their own order; all groups if the list is empty.
func chosen(list string) ([]group, error) {
	all := groups()
	if list == "" {
		return all, nil
	}
	words := strings.Split(list, ",")
	used := make([]bool, len(words))
	var gs []group
	for _, g := range all {
		picked := false
		for i, w := range words {
			if w = strings.TrimSpace(w); w != "" && strings.HasPrefix(g.name, w) {
				picked, used[i] = true, true
			}
		}
		if picked {
			gs = append(gs, g)
		}
	}
	for i, w := range words {
		if !used[i] {
			return nil, fmt.Errorf("-only: no group begins with %q; see -h for their names", w)
		}
	}
	return gs, nil
}
