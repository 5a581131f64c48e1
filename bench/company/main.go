package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// page is where the table is published, seen from the module's directory.
const page = "../docs/company.md"

func main() {
	if played, err := play(os.Args[1:]); played {
		program.Exit("company", err)
	}
	program.Main("company", run)
}

// run does what the command line says. The progress goes to stderr, the table to stdout.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	b := &bench{options: *o, log: os.Stderr}
	dir, err := os.MkdirTemp("", "sweetspot-company-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if slices.ContainsFunc(b.situations, func(s situation) bool { return s.jobs > 0 }) {
		if b.binary, err = program.Build(ctx, dir); err != nil {
			return err
		}
	}
	var rows strings.Builder
	for _, s := range b.situations {
		var v *verdict
		if v, err = b.measure(ctx, s); err != nil {
			break
		}
		rows.WriteString(v.row())
	}
	table := fmt.Sprintf("%s; rounds: %d, of %v, and %.0f jobs for each run.\n\n%s%s", machine.Describe(), b.rounds, b.auto, b.jobs*allJobs, head, &rows)
	fmt.Print(table)
	if err == nil && o.md {
		err = program.Publish(page, "company", table)
	}
	return err
}

type options struct {
	situations []situation
	auto       time.Duration
	fixed      time.Duration
	rounds     int
	jobs       float64 // share of the jobs of sweetspot run
	md         bool
	verbose    bool
}

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := new(options)
	f := program.NewFlags("company", "Measures the automatic limit in company.", "situation", situations(),
		func(s situation) (name, about string) { return s.name, s.about }, out)
	f.DurationVar(&o.auto, "auto", 30*time.Second, "`time` for the automatic limit, its search included")
	f.DurationVar(&o.fixed, "fixed", 5*time.Second, "`time` for the fixed number, before and after")
	f.IntVar(&o.rounds, "rounds", 3, "`number` of rounds")
	f.Float64Var(&o.jobs, "jobs", 1, "`share` of the 1,500 jobs of each sweetspot run")
	f.Quick("-rounds 1 -auto 10s -fixed 2s -jobs 0.3")
	f.BoolVar(&o.md, "md", false, "write the table into "+page+" too")
	f.BoolVar(&o.verbose, "v", false, "print the decisions of each automatic run")
	var err error
	if o.situations, err = f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case o.auto < time.Second || o.fixed < time.Second:
		return nil, errors.New("-auto and -fixed: want a second or more, such as 30s")
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case !(o.jobs >= 0.01 && o.jobs <= 1):
		return nil, fmt.Errorf("-jobs %v: want 0.01 to 1", o.jobs)
	}
	return o, nil
}
