package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A way is one that a list is run in.
type way struct {
	name  string
	ready func() error // makes what it begins with; nil: nothing
	run   func(ctx context.Context, round int) error
}

// A row is what came out for a list: medians, s.
type row struct {
	list  list
	best  int // the best fixed number; of a list in memory, of those at which no job was ever killed
	took  map[string]float64
	kills map[string]int // for want of memory, in all runs
}

// errNoGroup says that jobs cannot be run in less memory than there is.
var errNoGroup = errors.New("cannot make a cgroup with a limit of memory (it takes Linux, and root)")

const (
	coldWay  = "cold"  // nothing was learnt
	warmWay  = "warm"  // runs before have learnt what they could
	staleWay = "stale" // they did so where everything was twice as good
	oldWay   = "old"   // another build, cold
)

// fixedWay names the way with a fixed number.
func fixedWay(n int) string { return strconv.Itoa(n) }

// measure sweeps the fixed numbers and then runs the rounds.
func (o *options) measure(ctx context.Context, l list, dir string) (row, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return row{}, err
	}
	g, err := newGroup(l.memory)
	if err != nil {
		return row{}, fmt.Errorf("%w: %w", errNoGroup, err)
	}
	defer g.close()
	ways, err := o.ways(ctx, l, dir, g)
	if err != nil {
		return row{}, err
	}
	samples, kills := map[string][]float64{}, map[string]int{}
	take := func(w way, round int) error {
		if l.reset != nil {
			if err := l.reset(dir); err != nil {
				return err
			}
		}
		if w.ready != nil {
			if err := w.ready(); err != nil {
				return err
			}
		}
		before, err := g.kills()
		if err != nil {
			return err
		}
		began := time.Now()
		failed := w.run(ctx, round)
		took := time.Since(began).Seconds()
		killed, err := g.kills()
		if err != nil {
			return err
		}
		if killed -= before; failed != nil && killed == 0 {
			return fmt.Errorf("%s: %w", w.name, failed)
		}
		kills[w.name] += killed
		fmt.Fprintf(os.Stderr, "%-10s %-8s %.2f s, %d killed\n", l.name, w.name, took, killed)
		samples[w.name] = append(samples[w.name], took)
		return nil
	}
	best := func(n int) float64 { return stats.Median(samples[fixedWay(n)]) }
	safe := func(numbers []int) []int {
		return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return kills[fixedWay(n)] > 0 })
	}
	var numbers []int
	for _, n := range l.numbers {
		if err := take(ways(fixedWay(n), n), 0); err != nil {
			return row{}, err
		}
		numbers = append(numbers, n)
		if kills[fixedWay(n)] > 0 {
			break // more would only be worse
		}
	}
	if numbers = leastBy(safe(numbers), best); len(numbers) == 0 {
		return row{}, fmt.Errorf("jobs are killed even at %d at a time", l.numbers[0])
	}
	swept := numbers
	if l.memory > 0 {
		numbers = numbers[:1] // rounds take long; if a job is killed in one, the sweep has the next
	} else {
		numbers = numbers[:3]
		clear(samples)
	}
	all := []way{ways(coldWay, 0)}
	if l.call == nil {
		for range 2 { // to learn
			if err := take(ways(warmWay, 0), 0); err != nil {
				return row{}, err
			}
		}
		delete(samples, warmWay)
		all = append(all, ways(warmWay, 0))
	}
	if l.call == nil && l.memory == 0 {
		all = append(all, ways(staleWay, 0))
	}
	for _, n := range numbers {
		all = append(all, ways(fixedWay(n), n))
	}
	for _, peer := range o.peers(l) {
		all = append(all, ways(peer, numbers[0]))
	}
	for round := range o.rounds {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, w := range all {
			if err := take(w, round); err != nil {
				return row{}, err
			}
		}
	}
	if l.memory > 0 {
		numbers = swept
	}
	if numbers = leastBy(safe(numbers), best); len(numbers) == 0 {
		return row{}, fmt.Errorf("jobs are killed even at %d at a time", l.numbers[0])
	}
	r := row{list: l, best: numbers[0], took: map[string]float64{}, kills: kills}
	for name, s := range samples {
		r.took[name] = stats.Median(s)
	}
	return r, nil
}

// leastBy sorts numbers by what f makes of them.
func leastBy(numbers []int, f func(int) float64) []int {
	return slices.SortedFunc(slices.Values(numbers), func(a, b int) int { return cmp.Compare(f(a), f(b)) })
}

// peers returns the names of the ways to compare with.
func (o *options) peers(l list) []string {
	var peers []string
	if l.call != nil || l.memory > 0 {
		return nil
	}
	if o.old != "" {
		peers = append(peers, oldWay)
	}
	for _, program := range []string{"xargs", "parallel"} {
		if _, err := exec.LookPath(program); err == nil {
			peers = append(peers, program)
		}
	}
	return peers
}

// ways returns what makes a way from its name and a number, 0 for none, in g.
func (o *options) ways(ctx context.Context, l list, dir string, g *group) (func(name string, n int) way, error) {
	if l.call != nil {
		return func(name string, n int) way {
			return way{name, nil, func(ctx context.Context, _ int) error { return call(ctx, l.call, n) }}
		}, nil
	}
	states, err := newStates(filepath.Join(filepath.Dir(dir), "state-"+l.name))
	if err != nil {
		return nil, err
	}
	command, values, err := l.prepare(ctx, dir)
	if err != nil {
		return nil, err
	}
	return func(name string, n int) way {
		var argv []string
		switch name {
		case coldWay, warmWay, staleWay:
			argv = []string{o.binary, "run", "--"}
		case oldWay:
			argv = []string{o.old, "run", "--"}
		case "xargs":
			argv = []string{"xargs", "-P", strconv.Itoa(n), "-I{}"}
		case "parallel":
			argv = []string{"parallel", "-q", "-j", strconv.Itoa(n)}
		default:
			argv = []string{o.binary, "run", "-j", name, "--"}
		}
		argv = append(argv, command...)
		argv = g.wrap(argv)
		return way{name, func() error { return states.ready(name) }, func(ctx context.Context, round int) error {
			values := values
			if l.memory > 0 {
				values = shuffled(values, round)
			}
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Join(values, "\n")+"\n")
			cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+states.of(name))
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %.300s", err, out)
			}
			return nil
		}}
	}, nil
}

// call waits for all times by one Map, with a fixed number or, where n is 0, a new Limiter.
func call(ctx context.Context, waits []time.Duration, n int) error {
	var how sweetspot.Option = sweetspot.New()
	if n > 0 {
		how = sweetspot.Fixed(n)
	}
	_, err := sweetspot.Map(ctx, waits, func(_ context.Context, d time.Duration) (struct{}, error) {
		time.Sleep(d)
		return struct{}{}, nil
	}, how)
	return err
}
