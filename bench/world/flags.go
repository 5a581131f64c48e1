package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/control"
)

type options struct {
	works   []work
	auto    time.Duration
	fixed   time.Duration
	numbers []int
	rounds  int
	law     string
	strict  bool
	verbose bool
	p99     []float64 // what to ask of MaxP99, times that of the knee; none: measure throughput
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
	f.BoolVar(&o.strict, "strict", false, "repeat a measurement, up to twice, if other processes used more than a tenth of a CPU, once they rest (or after a minute)")
	f.BoolVar(&o.verbose, "v", false, "print the decisions of each automatic run")
	f.Func("p99", "measure MaxP99 instead, with these `multiples` of the p99 at the knee, such as 1.5,3", func(list string) error {
		o.p99 = nil
		for _, word := range strings.Split(list, ",") {
			times, err := strconv.ParseFloat(word, 64)
			if err != nil || !(times >= 1) || times > 1000 {
				return errors.New("want numbers from 1 to 1000 with commas between them, such as 1.5,3")
			}
			o.p99 = append(o.p99, times)
		}
		return nil
	})
	var err error
	if o.works, err = f.Parse(args); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.numbers, err = program.ParseNumbers(numbers); err != nil {
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
	case o.p99 != nil && o.auto < settles+time.Second:
		return fmt.Errorf("-auto %v: with -p99 want %v or more, as the first %v do not count", o.auto, settles+time.Second, settles)
	case o.p99 != nil && o.strict:
		return errors.New("-p99 does not go with -strict")
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

func (o *options) estimate() time.Duration {
	var d time.Duration
	for _, w := range o.works {
		if o.p99 != nil {
			d += warmUp + sweepFor*time.Duration(len(o.numbersOf(w))) + time.Duration(len(o.p99))*(o.auto+2*mostContenders*o.fixed)
			continue
		}
		d += warmUp + time.Duration(o.rounds)*(o.auto+2*o.fixed*time.Duration(len(o.numbersOf(w))))
	}
	return d
}
