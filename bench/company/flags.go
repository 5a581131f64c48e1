package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// options are what the command line says.
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
	f := flag.NewFlagSet("company", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprintf(out, "Measures the automatic limit in company.\n\nUsage: go run ./company [flags]\n\n")
		f.PrintDefaults()
		fmt.Fprintf(out, "\nSituations:\n")
		for _, s := range situations() {
			fmt.Fprintf(out, "  %-17s %s\n", s.name, s.about)
		}
	}
	var only string
	var quick bool
	f.StringVar(&only, "only", "", "situations, or beginnings of their `names`, with commas between them (default all)")
	f.DurationVar(&o.auto, "auto", 30*time.Second, "`time` for the automatic limit, its search included")
	f.DurationVar(&o.fixed, "fixed", 5*time.Second, "`time` for the fixed number, before and after")
	f.IntVar(&o.rounds, "rounds", 3, "`number` of rounds")
	f.Float64Var(&o.jobs, "jobs", 1, "`share` of the 1,500 jobs of each sweetspot run")
	f.BoolVar(&quick, "quick", false, "a first look: -rounds 1 -auto 10s -fixed 2s -jobs 0.3, unless given")
	f.BoolVar(&o.md, "md", false, "write the table into "+page+" too")
	f.BoolVar(&o.verbose, "v", false, "print the decisions of each automatic run")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if quick {
		given := map[string]bool{}
		f.Visit(func(g *flag.Flag) { given[g.Name] = true })
		for name, value := range map[string]string{"rounds": "1", "auto": "10s", "fixed": "2s", "jobs": "0.3"} {
			if !given[name] {
				if err := f.Set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is left over: all arguments are flags; see -h", f.Arg(0))
	case o.auto < time.Second || o.fixed < time.Second:
		return nil, errors.New("-auto and -fixed: want a second or more, such as 30s")
	case o.rounds < 1:
		return nil, fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	case !(o.jobs >= 0.01 && o.jobs <= 1):
		return nil, fmt.Errorf("-jobs %v: want 0.01 to 1", o.jobs)
	}
	var err error
	o.situations, err = chosen(only)
	return o, err
}
