package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

type options struct {
	args     []string // as given, for the report
	groups   []group
	match    *regexp.Regexp // subjects to measure, nil for all
	rounds   int
	procs    int
	quick    bool
	patience time.Duration
	out      string
}

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{args: args}
	f := program.NewFlags("peers", "Measures the parallel calls beside their peers.", "group", groups(),
		func(g group) (name, about string) { return g.name, g.title }, out)
	var match string
	f.StringVar(&match, "match", "", "measure only subjects (row/column@GOMAXPROCS) that match the `regexp`")
	f.IntVar(&o.rounds, "rounds", 10, "`number` of rounds")
	f.IntVar(&o.procs, "procs", runtime.GOMAXPROCS(0), "GOMAXPROCS of what is measured in parallel")
	f.DurationVar(&o.patience, "patience", 5*time.Minute, "`time` in all to wait for a quiet machine and to repeat disturbed samples")
	quick := f.Quick("-rounds 3 -patience 0s") // so few that one disturbed sample cannot move the median; sizes are small, too
	f.StringVar(&o.out, "o", "", "write the report to a `file` instead of stdout")
	var err error
	if o.groups, err = f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case o.procs < 1:
		return nil, fmt.Errorf("-procs %d: want 1 or more", o.procs)
	case o.patience < 0:
		return nil, fmt.Errorf("-patience %v: want a time such as 5m, or 0s", o.patience)
	}
	o.quick = *quick
	if match != "" {
		if o.match, err = regexp.Compile(match); err != nil {
			return nil, fmt.Errorf("-match: %w", err)
		}
	}
	return o, nil
}
