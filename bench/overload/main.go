package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// mostRate is how many requests a second are sent at most, so that what is measured
// is the limit and not the machine.
const mostRate = 2000

type options struct {
	slots  int
	mean   time.Duration
	cv     float64
	step   time.Duration
	rounds int
	only   string
	trace  bool
}

// capacity is what the server can do, requests per second.
func (o options) capacity() float64 { return float64(o.slots) / o.mean.Seconds() }

func (o options) validate() error {
	switch most := slices.Max(loads) * o.capacity(); {
	case o.slots < 2 || o.mean < time.Millisecond || o.cv < 0 || o.step < time.Second || o.rounds < 1:
		return errors.New("want at least 2 slots, 1ms each, a deviation of 0 or more, steps of at least 1s and one round")
	case most > mostRate:
		return fmt.Errorf("%d slots of %v would be sent %.0f requests a second: want at most %d; fewer slots or longer times do that", o.slots, o.mean, most, mostRate)
	}
	return nil
}

func main() {
	var o options
	flag.IntVar(&o.slots, "slots", 10, "requests that the server serves at a time")
	flag.DurationVar(&o.mean, "time", 100*time.Millisecond, "mean time of each")
	flag.Float64Var(&o.cv, "cv", 0.3, "coefficient of variation of that time")
	flag.DurationVar(&o.step, "step", 6*time.Second, "length of a step")
	flag.IntVar(&o.rounds, "rounds", 1, "rounds, each with all subjects in turn")
	flag.StringVar(&o.only, "only", "", "subjects, separated by commas; all if empty")
	flag.BoolVar(&o.trace, "trace", false, "print the newest decisions of sweetspot's laws")
	flag.Parse()
	program.Main("overload", func(ctx context.Context, _ []string) error { return run(ctx, o) })
}

func run(ctx context.Context, o options) error {
	if err := o.validate(); err != nil {
		return err
	}
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	var all []verdict
	for round := range o.rounds {
		for _, s := range chosen {
			v := judge(ctx, s, o, uint64(100*round))
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			v.print(os.Stdout)
			for _, c := range v.changes {
				if o.trace {
					fmt.Printf("%8.2f s %3d → %-3d %s\n", c.At.Seconds(), c.From, c.To, c.Reason)
				}
			}
			all = append(all, v)
		}
	}
	summary(os.Stdout, all)
	return nil
}

// choose returns the subjects with these names.
func choose(names string) ([]subject, error) {
	if names == "" {
		return subjects, nil
	}
	var chosen []subject
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(subjects, func(s subject) bool { return s.name == name })
		if i < 0 {
			var known []string
			for _, s := range subjects {
				known = append(known, s.name)
			}
			return nil, fmt.Errorf("no subject is called %q: want some of %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, subjects[i])
	}
	return chosen, nil
}
