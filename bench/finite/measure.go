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

type row struct {
	list   list
	best   int // the best fixed number; of a list in memory, of those at which no job was ever killed
	rounds int
	took   map[string]float64 // medians, s
	kills  map[string]int     // for want of memory, in all runs
}

var (
	// errNoGroup says that jobs cannot be run in less memory than there is.
	errNoGroup = errors.New("cannot make a cgroup with a limit of memory (it takes Linux, and root)")
	// errLate says that the time was over before the first round.
	errLate = errors.New("the time is over before the first round")
)

const (
	coldWay  = "cold"  // nothing was learnt
	warmWay  = "warm"  // runs before have learnt what they could
	staleWay = "stale" // they did so where everything was twice as good
	oldWay   = "old"   // another build, cold
	learnWay = "learn" // what warm runs know comes from these
)

// contenders is how many of the fixed numbers, the best of the sweep, run in the rounds.
const contenders = 3

func fixedWay(n int) string { return strconv.Itoa(n) }

// measure sweeps the fixed numbers and then runs the rounds, but for what earlier parts have
// run. It begins nothing once the time is over.
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
	states, err := newStates(filepath.Join(cmp.Or(o.in, filepath.Dir(dir)), "state-"+l.name))
	if err != nil {
		return row{}, err
	}
	ways, err := o.ways(ctx, l, dir, g, states)
	if err != nil {
		return row{}, err
	}
	t, err := newTally(l, o.in)
	if err != nil {
		return row{}, err
	}
	defer t.close()
	take := func(w way, round int, sweep bool) error {
		if sweep && o.late() {
			return errLate
		}
		took, killed, err := l.once(ctx, w, round, dir, g)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%-10s %-8s %.2f s, %d killed\n", l.name, w.name, took, killed)
		return t.add(sample{Way: w.name, Sweep: sweep, Seconds: took, Killed: killed})
	}
	safe := func(numbers []int) []int {
		return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return t.kills[fixedWay(n)] > 0 })
	}
	var swept []int
	for _, n := range l.numbers {
		if len(t.sweep[fixedWay(n)]) == 0 {
			if err := take(ways(fixedWay(n), n), 0, true); err != nil {
				return row{}, err
			}
		}
		swept = append(swept, n)
		if t.kills[fixedWay(n)] > 0 {
			break // more would only be worse
		}
	}
	numbers := leastBy(safe(swept), func(n int) float64 { return stats.Median(t.sweep[fixedWay(n)]) })
	if len(numbers) == 0 {
		return row{}, fmt.Errorf("jobs are killed even at %d at a time", l.numbers[0])
	}
	all := []way{ways(coldWay, 0)}
	if l.call == nil {
		learn := ways(warmWay, 0)
		learn.name = learnWay
		for range 2 - len(t.sweep[learnWay]) {
			if err := take(learn, 0, true); err != nil {
				return row{}, err
			}
		}
		all = append(all, ways(warmWay, 0))
	}
	if l.call == nil && l.memory == 0 {
		all = append(all, ways(staleWay, 0))
	}
	for _, peer := range o.peers(l) {
		all = append(all, ways(peer, numbers[0]))
	}
	for round := t.done(); round < o.rounds && !o.late(); round++ {
		now := slices.Clone(all)
		left := safe(numbers) // so that who is called safe was tried as often as the others
		for _, n := range left[:min(contenders, len(left))] {
			now = append(now, ways(fixedWay(n), n))
		}
		rand.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
		for _, w := range now {
			if err := take(w, round, false); err != nil {
				return row{}, err
			}
		}
	}
	if t.done() == 0 {
		return row{}, errLate
	}
	numbers = slices.DeleteFunc(safe(numbers), func(n int) bool { return len(t.rounds[fixedWay(n)]) == 0 })
	numbers = leastBy(numbers, func(n int) float64 { return t.median(fixedWay(n)) })
	if len(numbers) == 0 {
		return row{}, fmt.Errorf("jobs are killed even at %d at a time", l.numbers[0])
	}
	r := row{list: l, best: numbers[0], rounds: t.done(), took: map[string]float64{}, kills: t.kills}
	for name := range t.rounds {
		r.took[name] = t.median(name)
	}
	r.took[fixedWay(r.best)] = t.median(fixedWay(r.best))
	return r, nil
}

// late reports whether the time for this part is over.
func (o *options) late() bool { return !o.until.IsZero() && time.Now().After(o.until) }

// once runs the list in a way, and returns the time, s, and how many of its processes were
// killed for want of memory.
func (l list) once(ctx context.Context, w way, round int, dir string, g *group) (took float64, killed int, err error) {
	if l.reset != nil {
		if err := l.reset(dir); err != nil {
			return 0, 0, err
		}
	}
	if w.ready != nil {
		if err := w.ready(); err != nil {
			return 0, 0, err
		}
	}
	before, err := g.kills()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	failed := w.run(ctx, round)
	took = time.Since(began).Seconds()
	killed, err = g.kills()
	if err != nil {
		return 0, 0, err
	}
	if killed -= before; failed != nil && killed == 0 {
		return 0, 0, fmt.Errorf("%s: %w", w.name, failed)
	}
	return took, killed, nil
}

// leastBy sorts numbers by what f makes of them.
func leastBy(numbers []int, f func(int) float64) []int {
	return slices.SortedFunc(slices.Values(numbers), func(a, b int) int { return cmp.Compare(f(a), f(b)) })
}

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
func (o *options) ways(ctx context.Context, l list, dir string, g *group, states states) (func(name string, n int) way, error) {
	if l.call != nil {
		return func(name string, n int) way {
			return way{name, nil, func(ctx context.Context, _ int) error { return call(ctx, l.call, n) }}
		}, nil
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
