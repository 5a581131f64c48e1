package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/score"
	"github.com/sweetspot-go/sweetspot/control"
)

// options are what the command line says.
type options struct {
	works   []work
	auto    time.Duration
	fixed   time.Duration
	numbers []int
	rounds  int
	law     string
	json    string
	strict  bool
	verbose bool
}

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := new(options)
	f := program.NewFlags("world", "Measures the automatic limit against fixed numbers on real programs.", "work", works(),
		func(w work) (name, about string) { return w.name, w.about }, out)
	var numbers string
	f.DurationVar(&o.auto, "auto", time.Minute, "`time` for the automatic limit, its search included")
	f.DurationVar(&o.fixed, "fixed", 5*time.Second, "`time` for each fixed number, before and after")
	f.StringVar(&numbers, "n", "1,2,3,4,6,8,16,32,64,128,256,512", "fixed `numbers`")
	f.IntVar(&o.rounds, "rounds", 5, "`number` of rounds")
	f.Quick("-rounds 1 -fixed 2s -n 1,2,4,8,16,32,64,128,256,512")
	f.StringVar(&o.law, "law", "search", "the `law` for the automatic limit: "+strings.Join(control.Names(), ", "))
	f.StringVar(&o.json, "json", "", "write all samples and verdicts to a `file`")
	f.BoolVar(&o.strict, "strict", false, "repeat a measurement, up to twice, if other processes used more than a tenth of a CPU, once they rest (or after a minute)")
	f.BoolVar(&o.verbose, "v", false, "print the decisions of each automatic run")
	var err error
	if o.works, err = f.Parse(args); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.numbers, err = score.ParseLimits(numbers); err != nil {
		return nil, fmt.Errorf("-n: %w", err)
	}
	return o, nil
}

func (o *options) check() error {
	switch {
	case o.auto < time.Second:
		return errors.New("-auto: want a second or more, such as 60s")
	case o.fixed < time.Second:
		return errors.New("-fixed: want a second or more, such as 5s")
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	}
	if _, err := control.ByName(o.law); err != nil {
		return fmt.Errorf("-law: %w", err)
	}
	return nil
}

// numbersOf returns the fixed numbers to measure a work at: those that its callers
// can fill, and their number if there is none.
func (o *options) numbersOf(w work) []int {
	numbers := slices.DeleteFunc(slices.Clone(o.numbers), func(n int) bool { return n > w.callers })
	if len(numbers) == 0 {
		return []int{w.callers}
	}
	return numbers
}

// estimate returns how long the measurements take.
func (o *options) estimate() time.Duration {
	var d time.Duration
	for _, w := range o.works {
		d += warmUp + time.Duration(o.rounds)*(o.auto+2*o.fixed*time.Duration(len(o.numbersOf(w))))
	}
	return d
}
