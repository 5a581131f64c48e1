package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

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
