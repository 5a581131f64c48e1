package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Options say what is recorded, and how long.
type Options struct {
	Dir      string   // the directory in which packages and the command are looked for; "" is the current one
	Packages []string // import paths or patterns as the go command takes them, for benchmarks; none is "."
	Bench    string   // the benchmarks, as -bench takes them; "" is all
	Command  []string // recorded in place of benchmarks: a main package and its arguments, or go run and those

	BuildFlags []string      // handed to the go command, as in -tags=x
	Procs      []int         // values of GOMAXPROCS; none is 1, 2, 4 and so on up to that of this process
	Rounds     int           // at each GOMAXPROCS, without an instrument; 0 is 6 for a benchmark and 3 for a command
	BenchTime  time.Duration // of each measurement of a benchmark; 0 is 300 ms
	Most       time.Duration // after which a command is interrupted, which is not an error then; 0 is never
	Keep       string        // a directory in which profiles and traces stay; "" removes them

	// Planned is called once, before the first benchmark is measured, with their number and
	// about how long they take if each operation is short, if it is not nil.
	Planned func(benchmarks int, about time.Duration)
	// Progress is called before each process, if it is not nil. How many there are to
	// come is known for the benchmark or command that is recorded.
	Progress func(done, all int, what string)
	Output   io.Writer // what a command prints in its first run; nil discards it
	// Input is the standard input of a command, the same in each run: a file from where
	// it stands, or a pipe, which is read to its end first. Nil, and a terminal, are an
	// empty one.
	Input *os.File

	traceMost int64         // bytes of a trace; 0 is traceMost
	profiled  time.Duration // under a CPU profile; 0 is profiled
}

const (
	// defaultRounds of a benchmark are the least that give a median an interval of 95 %.
	defaultRounds = 6
	// commandRounds are fewer, because a command takes as long as it takes.
	commandRounds    = 3
	defaultBenchTime = 300 * time.Millisecond
)

// Record builds benchmarks, or a command, and runs them again and again: at each
// GOMAXPROCS in processes of their own, first without an instrument, in turn, then
// under one instrument each. It returns an observation for each benchmark that has no
// benchmarks within, or one of the command, in the order in which they run. The user's
// source tree is only read.
//
// Benchmarks that fail, and packages that cannot be built, are returned beside the
// observations of the others, in the order in which they run. The error is that of the
// options, of a build, of a process that failed, and comes alone; or the cause of ctx, and
// comes with those benchmarks that were recorded before. In no case is a process left.
func Record(ctx context.Context, o Options) (all []*evidence.Observation, failed []Failure, err error) {
	if o, err = o.complete(); err != nil {
		return nil, nil, err
	}
	place, remove, err := dissect.Directory(o.Keep)
	if err != nil {
		return nil, nil, err
	}
	defer remove()
	r := &recorder{Options: o, place: place}
	if len(o.Command) > 0 {
		all, err = r.command(ctx)
		if r.input != nil && r.input.kept { // Windows removes no file that is open
			r.input.file.Close()
		}
	} else {
		all, failed, err = r.benchmarks(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		return all, failed, cause
	}
	return all, failed, err
}

type recorder struct {
	Options
	place     string // of what it leaves
	done, all int    // processes
	input     *input // of a command; nil is none
}

// complete fills in what is left open, and refuses what cannot be.
func (o Options) complete() (Options, error) {
	if len(o.Command) > 0 && (o.Bench != "" || len(o.Packages) > 0) {
		return o, errors.New("benchmarks and a command cannot be recorded together: it takes a run for each")
	}
	rounds := defaultRounds
	if len(o.Command) > 0 {
		rounds = commandRounds
	}
	o.Rounds = cmp.Or(o.Rounds, rounds)
	o.BenchTime = cmp.Or(o.BenchTime, defaultBenchTime)
	o.Bench = cmp.Or(o.Bench, ".")
	o.traceMost = cmp.Or(o.traceMost, traceMost)
	o.profiled = cmp.Or(o.profiled, profiled)
	if len(o.Packages) == 0 {
		o.Packages = []string{"."}
	}
	o.Procs = o.gomaxprocs()
	if o.Procs[0] < 1 {
		return o, fmt.Errorf("GOMAXPROCS is to be %d, want 1 or more", o.Procs[0])
	}
	return o, nil
}

// gomaxprocs returns the values of GOMAXPROCS, the least first.
func (o Options) gomaxprocs() []int {
	all := slices.Clone(o.Procs)
	if len(all) == 0 {
		most := runtime.GOMAXPROCS(0)
		for p := 1; p < most; p *= 2 {
			all = append(all, p)
		}
		all = append(all, most)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ends returns the least and the largest GOMAXPROCS, which the instruments look at.
func (r *recorder) ends() []int {
	return slices.Compact([]int{r.Procs[0], r.Procs[len(r.Procs)-1]})
}

func (r *recorder) largest() int { return r.Procs[len(r.Procs)-1] }

// observation returns an observation without any figures yet.
func (r *recorder) observation(name string, pkg *goPackage, per evidence.Per) *evidence.Observation {
	o := &evidence.Observation{
		Name: name, Package: pkg.ImportPath, Module: pkg.root(), Scope: pkg.scope(), Per: per, Heap: []dissect.HeapVariable{},
	}
	for _, procs := range r.Procs {
		o.Points = append(o.Points, evidence.Point{Procs: procs, Metrics: map[string][]float64{}})
	}
	return o
}

func (r *recorder) step(format string, args ...any) {
	if r.Progress != nil {
		r.Progress(r.done, max(r.all, r.done+1), fmt.Sprintf(format, args...))
	}
	r.done++
}
