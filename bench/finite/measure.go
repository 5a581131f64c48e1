package main

import (
	"cmp"
	"context"
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
	run   func(ctx context.Context) error
}

// A row is what came out for a list: medians, s.
type row struct {
	list list
	best int // the best fixed number
	took map[string]float64
}

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
	ways, err := o.ways(ctx, l, dir)
	if err != nil {
		return row{}, err
	}
	samples := map[string][]float64{}
	take := func(w way) error {
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
		began := time.Now()
		if err := w.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		took := time.Since(began).Seconds()
		fmt.Fprintf(os.Stderr, "%-8s %-8s %.2f s\n", l.name, w.name, took)
		samples[w.name] = append(samples[w.name], took)
		return nil
	}
	best := func(n int) float64 { return stats.Median(samples[fixedWay(n)]) }
	numbers := slices.Clone(l.numbers)
	for _, n := range numbers {
		if err := take(ways(fixedWay(n), n)); err != nil {
			return row{}, err
		}
	}
	numbers = leastBy(numbers, best)[:3]
	clear(samples)
	all := []way{ways(coldWay, 0)}
	if l.call == nil {
		for range 2 { // to learn
			if err := take(ways(warmWay, 0)); err != nil {
				return row{}, err
			}
		}
		clear(samples)
		all = append(all, ways(warmWay, 0), ways(staleWay, 0))
	}
	for _, n := range numbers {
		all = append(all, ways(fixedWay(n), n))
	}
	for _, peer := range o.peers(l) {
		all = append(all, ways(peer, numbers[0]))
	}
	for range o.rounds {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, w := range all {
			if err := take(w); err != nil {
				return row{}, err
			}
		}
	}
	r := row{list: l, best: leastBy(numbers, best)[0], took: map[string]float64{}}
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
	if l.call != nil {
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

// ways returns what makes a way from its name and a number, 0 for none.
func (o *options) ways(ctx context.Context, l list, dir string) (func(name string, n int) way, error) {
	if l.call != nil {
		return func(name string, n int) way {
			return way{name, nil, func(ctx context.Context) error { return call(ctx, l.call, n) }}
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
	input := strings.Join(values, "\n") + "\n"
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
			argv = []string{"parallel", "-j", strconv.Itoa(n)}
		default:
			argv = []string{o.binary, "run", "-j", name, "--"}
		}
		argv = append(argv, command...)
		return way{name, func() error { return states.ready(name) }, func(ctx context.Context) error {
			cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
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
