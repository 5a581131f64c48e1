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
	workloads []workload
	auto      time.Duration
	fixed     time.Duration
	limits    []int
	rounds    int
	law       string
	json      string
	binary    string
	strict    bool
	peer      bool
	verbose   bool
}

func parseFlags(args []string, out io.Writer) (*options, error) {
	o := new(options)
	f := program.NewFlags("real", "Measures the automatic limit against fixed ones on real work.", "workload", workloads(),
		func(w workload) (name, about string) { return w.name, w.about }, out)
	var limits string
	f.DurationVar(&o.auto, "auto", time.Minute, "`time` for the automatic limit, its search included")
	f.DurationVar(&o.fixed, "fixed", 20*time.Second, "`time` for each fixed limit; 0s measures none")
	f.StringVar(&limits, "n", "1,2,3,4,6,8,16,24,32,64,128,256,512", "fixed `limits`")
	f.IntVar(&o.rounds, "rounds", 3, "`number` of rounds")
	f.StringVar(&o.law, "law", "search", "the `law` for the automatic limit: "+strings.Join(control.Names(), ", "))
	f.StringVar(&o.json, "json", "", "write all samples and verdicts to a `file`")
	f.StringVar(&o.binary, "sweetspot", "", "the `command` sweetspot to run commands with (default: build it)")
	f.BoolVar(&o.strict, "strict", false, "repeat a measurement, up to twice, if other processes used more than a tenth of a CPU, once they rest (or after a minute)")
	f.BoolVar(&o.peer, "peer", false, "also measure golang.org/x/sync/semaphore at the best fixed limit of each round")
	f.BoolVar(&o.verbose, "v", false, "print the decisions as they are taken (those of commands at the end of their run)")
	var err error
	if o.workloads, err = f.Parse(args); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.limits, err = score.ParseLimits(limits); err != nil {
		return nil, fmt.Errorf("-n: %w", err)
	}
	return o, nil
}

func (o *options) check() error {
	switch {
	case o.auto <= 0:
		return errors.New("-auto: want a time above 0, such as 60s")
	case o.fixed < 0:
		return errors.New("-fixed: want a time such as 20s, or 0s to measure none")
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	}
	if _, err := control.ByName(o.law); err != nil {
		return fmt.Errorf("-law: %w", err)
	}
	return nil
}

// limitsOf returns the fixed limits to measure a workload at.
func (o *options) limitsOf(w workload) []int {
	if o.fixed == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(o.limits), func(n int) bool { return w.most > 0 && n > w.most })
}

// estimate returns how long the measurements take, without repetitions.
func (o *options) estimate() time.Duration {
	var d time.Duration
	for _, w := range o.workloads {
		d += o.auto + o.fixed*time.Duration(len(o.limitsOf(w)))
		if o.peer && w.commands == "" {
			d += o.fixed
		}
	}
	return d * time.Duration(o.rounds)
}
