package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// mostRate is how many requests a second are sent at most, so that what is measured
// is the limit and not the machine.
const mostRate = 2000

type options struct {
	subjects []subject
	slots    int
	mean     time.Duration
	cv       float64
	step     time.Duration
	rounds   int

	hammer []int  // clients that ask again at once; none: the load is open
	serves string // the subject to serve, for hammer
	sums   int
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

func main() { program.Main("overload", run) }

func parse(args []string, out io.Writer) (o options, err error) {
	f := program.NewFlags("overload", "Measures what clients get of a server with more requests than it can serve.", "subject", subjects,
		func(s subject) (name, about string) { return s.name, s.about }, out)
	f.IntVar(&o.slots, "slots", 10, "requests that the server serves at a time")
	f.DurationVar(&o.mean, "time", 100*time.Millisecond, "mean time of each")
	f.Float64Var(&o.cv, "cv", 0.3, "coefficient of variation of that time")
	f.DurationVar(&o.step, "step", 6*time.Second, "length of a step")
	f.IntVar(&o.rounds, "rounds", 1, "rounds, each with all subjects in turn")
	f.Func("hammer", "`numbers` of clients that ask again at once, such as 16,600, instead of the load", func(list string) error {
		for _, word := range strings.Split(list, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return errors.New("want numbers of 1 or more with commas between them, such as 16,600")
			}
			o.hammer = append(o.hammer, n)
		}
		return nil
	})
	f.StringVar(&o.serves, "serve", "", "serve a `subject`, or unlimited, until stdin ends, and print the address: for wrk")
	f.IntVar(&o.sums, "sums", 0, "digests that such a server computes for a request (default as many as take 2 ms)")
	if o.subjects, err = f.Parse(args); err != nil {
		return o, err
	}
	return o, o.validate()
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	switch all := append([]subject{unlimited}, subjects...); {
	case o.serves != "":
		i := slices.IndexFunc(all, func(s subject) bool { return s.name == o.serves })
		if i < 0 {
			return fmt.Errorf("-serve %s: no such subject; see -h", o.serves)
		}
		if o.sums <= 0 {
			o.sums = sumsIn(hammerComputes)
		}
		return serve(ctx, all[i], o.sums, os.Stdin, os.Stdout)
	case o.hammer != nil:
		m := hammering{append([]subject{unlimited}, o.subjects...), o.hammer, 3 * time.Second, o.step, o.rounds}
		return m.run(ctx, os.Stdout)
	}
	var all []verdict
	for round := range o.rounds {
		for _, s := range o.subjects {
			v := judge(ctx, s, o, uint64(100*round))
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			v.print(os.Stdout)
			all = append(all, v)
		}
	}
	summary(os.Stdout, all)
	return nil
}
