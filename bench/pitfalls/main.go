package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

type options struct {
	only     string
	rounds   int
	sample   time.Duration
	patience time.Duration
	procs    int
	memory   bool
	form     string
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "checks, separated by commas; all if empty")
	flag.IntVar(&o.rounds, "rounds", 15, "how often the forms of a work take turns")
	flag.DurationVar(&o.sample, "sample", 50*time.Millisecond, "how long each of them takes at least")
	flag.DurationVar(&o.patience, "patience", time.Minute, "how long the rounds of a work wait for others to leave the machine alone")
	flag.IntVar(&o.procs, "procs", 0, "GOMAXPROCS that is right for maxprocs; 0: what the runtime chooses")
	flag.BoolVar(&o.memory, "memory", false, "instead of the time, what a process has from the system after one run")
	flag.StringVar(&o.form, "form", "", "`work/form`: run this one once, and print that memory (what -memory starts)")
	flag.Parse()
	program.Exit("pitfalls", run(os.Stdout, o))
}

func run(w io.Writer, o options) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("%q: want flags only; -only takes the checks", flag.Args())
	case o.rounds < 1 || o.sample < time.Millisecond:
		return errors.New("want at least one round, and samples of 1ms or more")
	case o.procs < 0 || o.procs > runtime.NumCPU():
		return fmt.Errorf("-procs %d: want 1 to %d, or 0 for what the runtime chooses", o.procs, runtime.NumCPU())
	case o.form != "":
		return runForm(w, o)
	}
	chosen, err := choose(o)
	if err != nil {
		return err
	}
	if o.memory {
		return writeMemory(w, chosen, o)
	}
	return writeTimes(w, chosen, o)
}

// all are the works that can be measured here.
func all(o options) []pitfall {
	ps := pitfalls()
	if byRuntime() < runtime.NumCPU() || o.procs > 0 && o.procs < runtime.NumCPU() {
		ps = append(ps, byHand(o.procs))
	}
	return ps
}

// byRuntime is the GOMAXPROCS that the runtime chooses.
func byRuntime() int {
	was := procs()
	runtime.SetDefaultGOMAXPROCS()
	defer runtime.GOMAXPROCS(was)
	return procs()
}

func choose(o options) ([]pitfall, error) {
	ps := all(o)
	if o.only == "" {
		return ps, nil
	}
	var chosen []pitfall
	for name := range strings.SplitSeq(o.only, ",") {
		of := slices.DeleteFunc(slices.Clone(ps), func(p pitfall) bool { return p.check != name })
		switch {
		case len(of) > 0:
			chosen = append(chosen, of...)
		case name == "maxprocs":
			return nil, fmt.Errorf("maxprocs: nothing limits this process to fewer than %d CPUs: want a container with a limit, and -procs if that is below two, as the runtime stays at two", runtime.NumCPU())
		default:
			return nil, fmt.Errorf("-only %s: want checks out of %s", name, strings.Join(checks(ps), ", "))
		}
	}
	return chosen, nil
}

func checks(ps []pitfall) []string {
	var names []string
	for _, p := range ps {
		names = append(names, p.check)
	}
	return slices.Compact(names)
}

func writeTimes(w io.Writer, ps []pitfall, o options) error {
	fmt.Fprintf(w, "%s, GOMAXPROCS %d, %d rounds.\n\n", machine.Describe(), procs(), o.rounds)
	fmt.Fprintln(w, "| check | work | form | time | times faster |\n|---|---|---|--:|--:|")
	for _, p := range ps {
		forms, others := measure(p, o)
		for i, f := range forms {
			fmt.Fprintln(w, row(p, i, f, others))
		}
	}
	return nil
}

// writeMemory measures each form in a process of its own.
func writeMemory(w io.Writer, ps []pitfall, o options) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, GOMAXPROCS %d.\n\n", machine.Describe(), procs())
	fmt.Fprintln(w, "| check | work | form | memory |\n|---|---|---|--:|")
	for _, p := range ps {
		for i, f := range p.make(p.n) {
			cmd := exec.Command(program, "-procs", fmt.Sprint(o.procs), "-form", p.work+"/"+f.name)
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.work, f.name, err)
			}
			var bytes uint64
			if err := json.Unmarshal(out, &bytes); err != nil {
				return fmt.Errorf("%s, %s: %w", p.work, f.name, err)
			}
			fmt.Fprintf(w, "%s | %.1f MB |\n", labels(p, i, f.name), float64(bytes)/1e6)
		}
	}
	return nil
}

// runForm runs one form once, and writes how much memory the process has from the
// system afterwards. The runtime gives back what it does not need only after
// minutes, so that this is about the most that it had.
func runForm(w io.Writer, o options) error {
	work, name, _ := strings.Cut(o.form, "/")
	for _, p := range all(o) {
		if p.work != work {
			continue
		}
		for _, f := range p.make(p.n) {
			if f.name == name {
				f.run()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return json.NewEncoder(w).Encode(m.Sys - m.HeapReleased)
			}
		}
	}
	return fmt.Errorf("-form %s: no such work and form", o.form)
}
