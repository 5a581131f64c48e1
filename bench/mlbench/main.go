package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

type options struct {
	problems []problem
	rounds   int
	sample   time.Duration
	md       bool
}

// page is where the table is published, seen from the module's directory.
const page = "README.md"

func main() {
	program.Main("mlbench", func(ctx context.Context, args []string) error {
		o, err := parse(args, os.Stderr)
		if err != nil {
			return err
		}
		return run(ctx, os.Stdout, os.Stderr, o)
	})
}

func parse(args []string, out io.Writer) (o options, err error) {
	f := program.NewFlags("mlbench", "Measures programs of others without a grain beside the grains chosen by hand.", "program", problems(),
		func(p problem) (name, about string) { return p.name, p.about }, out)
	f.IntVar(&o.rounds, "rounds", 11, "how often the forms of a program take turns")
	f.DurationVar(&o.sample, "sample", 200*time.Millisecond, "how long each form runs in a round, at least once")
	f.BoolVar(&o.md, "md", false, "write the table into bench/README.md instead of stdout")
	f.Quick("-rounds 3 -sample 50ms")
	if o.problems, err = f.Parse(args); err != nil {
		return options{}, err
	}
	if o.rounds < 1 || o.sample < 0 {
		return options{}, errors.New("want at least one round, and samples of 0s or more")
	}
	return o, nil
}

// run measures the problems and writes the table; progress goes to log.
func run(ctx context.Context, out, log io.Writer, o options) error {
	var rows []row
	before := load.Now()
	for _, p := range o.problems {
		for _, n := range p.sizes {
			fmt.Fprintf(log, "%s, n = %d\n", p.name, n)
			m, err := measure(ctx, p.solve(n), o)
			if err != nil {
				return fmt.Errorf("%s, n = %d: %w", p.name, n, err)
			}
			rows = append(rows, row{p.name, n, m})
		}
	}
	t := table(rows)
	t.Caption = fmt.Sprintf("%s, GOMAXPROCS %d, %d rounds%s.", machine.Describe(), runtime.GOMAXPROCS(0), o.rounds, others(before))
	return program.Show(out, o.md, page, "mlbench", t.String())
}

// others says how much of the machine other processes used since then, where that is known.
func others(before load.Load) string {
	cpus, known := load.Now().OthersSince(before)
	if !known {
		return ""
	}
	return fmt.Sprintf(", %.1f CPUs used by others meanwhile", cpus)
}
