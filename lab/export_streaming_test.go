package lab

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sim"
)

// What the tests of the streams see of them.

// Block does a unit of a memory task.
func Block(size int) error { return block(size, 3) }

// MemoryNumbers are the fixed numbers for blocks of that size.
func MemoryNumbers(size int, scale string, limit, machine int64) []int {
	return memoryTask{bytes: size}.numbers(scaleOf(scale), limit, machine)
}

// MemoryEnv is the environment of the memory tasks, and their sizes.
func MemoryEnv(scale string) (env [][]string, sizes []int) {
	for _, m := range memoryTasks {
		env = append(env, m.job(scaleOf(scale)).env)
		sizes = append(sizes, m.bytes)
	}
	return env, sizes
}

// MemoryMost is the highest limit of the article's law for each memory task, and the
// greatest number that the article tried.
func MemoryMost() (most []int, tried int) {
	return each(memoryJobs(quick), func(j *job) int { return articleMost(j.most) }), mostTried
}

// A Streamed is what a stream has shown.
type Streamed struct {
	Rate         float64
	Mean, Median float64
	Series       []figures.Series
}

// StreamBy streams units by each governor of the experiments, and by fixed numbers.
func StreamBy(unit func(i int64) error, length time.Duration, fixed ...int) (map[string]Streamed, error) {
	return streamBy(unit, 0, length, fixed...)
}

// StreamCounted streams so many units by each governor, and by a fixed number.
func StreamCounted(unit func(i int64) error, count int) (map[string]Streamed, error) {
	return streamBy(unit, count, 0, 2)
}

func streamBy(unit func(i int64) error, count int, length time.Duration, fixed ...int) (map[string]Streamed, error) {
	gs := governors()
	for _, n := range fixed {
		g := fixedAt(n)
		gs = append(gs, g)
	}
	all := map[string]Streamed{}
	closed := 0
	j := &job{name: "test", count: count, open: func() (*work, error) {
		return &work{unit: unit, close: func() error { closed++; return nil }}, nil
	}}
	for _, g := range gs {
		t, err := j.task(g, length)
		if err != nil {
			return nil, err
		}
		if _, err := t.single(); err != nil {
			return nil, err
		}
		if err := t.close(); err != nil {
			return nil, err
		}
		a := t.aside()
		all[g.name] = Streamed{t.figure(0), a.Extra[meanLimit], a.Extra[medianLimit], a.Series}
	}
	if closed != len(gs) {
		return nil, errors.New("not all work was closed")
	}
	return all, nil
}

// Limits is the mean and the median of limits that were seen at times, of a stream
// of so many seconds.
func Limits(length float64, at []float64, limits []int) (mean, median float64) {
	w := &watch{st: &streamed{length: time.Duration(length * float64(time.Second))}}
	for i := range at {
		w.looks = append(w.looks, look{at: at[i], limit: limits[i]})
	}
	return w.mean(), w.median()
}

// SearchIn streams searches of a tree, each file twice, and closes it.
func SearchIn(dir string, scanned bool, between func()) error {
	w, err := searchIn(dir, scanned)
	if err != nil {
		return err
	}
	err = w.unit(0)
	if between != nil {
		between()
	}
	for i := range int64(4) {
		err = errors.Join(err, w.unit(i))
	}
	return errors.Join(err, w.close())
}

// GoSources is the directory of the sources of Go.
func GoSources() (string, error) { return goSources() }

// Sought is what is searched for.
const Sought = sought

// Rounded leaves four digits.
func Rounded(v float64) float64 { return rounded(v) }

// Simulate runs a scenario of the failures by ours and by the article's law, with
// the parameters that it reports to be good.
func Simulate(name string) (ourScore, ourLimit, score, limit float64, err error) {
	ourScore, ourLimit, err = simulated(name, ourLaw.law)
	if err != nil {
		return
	}
	score, limit, err = simulated(name, governors()[0].law)
	return
}

// PointNames are those of an experiment, with what they are shared by.
func PointNames(id, scale string) map[string]string {
	all := map[string]string{}
	for _, p := range find(id).points(scaleOf(scale)) {
		all[p.name()] = p.from
	}
	return all
}

// StreamIDs are the experiments of streams.
var StreamIDs = []string{"E6", "E7", "E8", "E9", "E10"}

// GovernorNames are those of the article's law by the metric of the talk, and ours.
func GovernorNames() (law, ours string) { return governors()[0].name, ourLaw.name }

// FixedLabel is that of the fixed numbers of a task.
func FixedLabel(task string) string { return task + ": " + fixedNumber }

// Tasks are the names of those that are searches, and of the memory tasks.
func Tasks() (searches, memory []string) {
	for _, j := range searchJobs() {
		searches = append(searches, j.name)
	}
	for _, j := range memoryJobs(quick) {
		memory = append(memory, j.name)
	}
	return searches, memory
}

// sharers have points that take their samples from others, and rounds of their own.
func sharers() []*experiment {
	random := func(label, from string) point {
		return point{label: label, from: from, unit: "s", set: func(int) (task, error) {
			v := float64(time.Now().UnixNano())
			return task{
				run:    func() error { return nil },
				figure: func(time.Duration) float64 { return v },
				aside: func() aside {
					return aside{
						Extra:  map[string]float64{"half": v / 2},
						Series: []figures.Series{{Panel: "p", Label: label, Name: "n", Times: []float64{0}, Values: []float64{v}}},
					}
				},
				once: true, cold: true,
			}, nil
		}}
	}
	half := random("half", "a")
	half.extra, half.aside = "half", true
	third := random("third", "a")
	third.extra = "third"
	per := random("per", "b")
	per.per = "a"
	shown := random("shown", "a")
	shown.shown = true
	few := small("V1", inRounds(2, random("one", "a"), half, per)...)
	again := small("V2", inRounds(2, random("two", "b"), shown)...)
	other := small("V3", random("three", "")) // in all rounds, by itself
	bad := small("V4", inRounds(2, third, random("one", "a"))...)
	alone := small("V5", per)
	often := small("V6", append(inRounds(7, random("one", "a"), half), random("three", ""))...)
	return []*experiment{few, again, other, bad, alone, often}
}

// AddSharers adds them to the others.
func AddSharers() { use(slices.Concat(experiments(), sharers())) }

// Same reports whether two figures are, but for what JSON leaves of them.
func Same(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// OnlySharers leaves only them until restore is called.
func OnlySharers() (restore func()) {
	before := experiments
	use(sharers())
	return func() { experiments = before }
}

// trainingScenarios are simulated works on which the parameters are searched. They are
// none of those that laws are compared on here.
var trainingScenarios = []string{"cpu8", "pareto", "paretoio", "smt16", "usl24", "open50"}

// trainingTime is how long each is simulated, in seconds, to search within some seconds.
const trainingTime = 20

// SearchParameters tries all pairs of parameters of the article's law, and returns the
// best by the mean score of the training, with those that it is run with. The gains go
// beyond those that the talk recommends.
func SearchParameters() (gain, rate, usedGain, usedRate float64, err error) {
	best := 0.0
	for _, g := range []float64{0.1, 0.2, 0.3, 0.5, 1} {
		for _, c := range changeRates {
			sum := 0.0
			for _, sc := range scenariosOf(trainingScenarios) {
				sc.Seconds = trainingTime
				r, err := sim.Run(sc, 1, control.NewDynamicTarget(g, c))
				if err != nil {
					return 0, 0, 0, 0, err
				}
				sum += r.Score
			}
			if sum > best {
				best, gain, rate = sum, g, c
			}
		}
	}
	return gain, rate, searchedGain, searchedChangeRate, nil
}

// VariantNames are those of the variants of the article's law.
func VariantNames() (names []string) {
	for _, l := range variants {
		names = append(names, l.name)
	}
	return names
}

// SimulateVariant runs a scenario of the failures by a variant of the article's law.
func SimulateVariant(name, scenario string) (score, limit float64, err error) {
	for _, l := range variants {
		if l.name == name {
			return simulated(scenario, l.make)
		}
	}
	return 0, 0, errors.New("there is no variant " + name)
}

// Portions are what a point has of the best fixed number in each round, by the samples of
// some numbers and of that point.
func Portions(p []float64, fixed ...[]float64) []float64 {
	j := &job{name: "j"}
	r := &results{e: &experiment{better: higher}}
	for i, samples := range append(fixed, p) {
		q := figures.Point{Label: j.labelOf(fixedAt(1)), X: float64(i + 1), Samples: samples, Y: estimateOf(samples).y}
		if i == len(fixed) {
			q.Label = "p"
		}
		r.points = append(r.points, q)
	}
	return r.sweepOf(j).portions(&r.points[len(fixed)])
}

// Fallen says of a sweep with those first figures, better as given, whether another is
// measured.
func Fallen(better string, ys ...float64) bool {
	e := &experiment{better: better}
	var all []*subject
	for _, y := range ys {
		all = append(all, &subject{e: e, p: point{sweep: "s"}, samples: []float64{y}})
	}
	all = append(all, &subject{e: e, p: point{sweep: "other"}, samples: []float64{1e9}}, &subject{e: e, p: point{sweep: "s"}})
	return fallen(all[len(all)-1], all)
}
