package lab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A job is a kind of work that never runs out: its units are streamed through a
// gate for some time.
type job struct {
	name    string
	cpus    int                   // GOMAXPROCS; 0 for all
	env     []string              // of its processes
	numbers func(s scale) []int   // fixed numbers to try until they fall, of which the first is 1
	count   int                   // how many units there are; 0 for an endless stream
	most    int                   // that the work bears; 0 if that is not known
	open    func() (*work, error) // in the process that measures
}

// work is a job that is ready.
type work struct {
	unit  func(i int64) error // the i-th, by any goroutine
	close func() error        // nil for nothing
}

const (
	mostTried = 1024          // the greatest number that the article tried
	mostSwept = 4 * mostTried // where a sweep ends that does not fall
)

// streamSize is how long a job is streamed while its number is searched. A law
// needs time for that; the bar is for half a minute.
var streamSize = size{900, 3_000, 30_000, "ms of each stream, by fixed numbers and laws alike"}

const streamUnit = "units/s"

// from names the stream of a job by a governor.
func (j *job) from(g governor) string {
	if g.fixed > 0 {
		return fmt.Sprintf("%s: %d", j.name, g.fixed)
	}
	return j.name + ": " + g.name
}

func (j *job) labelOf(g governor) string { return j.name + ": " + g.name }

// point measures a stream. The figure is its throughput from the first moment to
// the last.
func (j *job) point(s scale, g governor) point {
	sweep := ""
	if g.fixed > 0 {
		sweep = j.name
	}
	return point{
		sweep: sweep, rounds: by(s, 2, enoughRounds, enoughRounds), // they are long, so quick has few
		label: j.labelOf(g), x: float64(g.fixed), unit: streamUnit, cpus: j.cpus, ours: g.ours, env: j.env,
		panel: j.name, from: j.from(g),
		set: func(n int) (task, error) {
			return j.task(g, time.Duration(n)*time.Millisecond)
		},
	}
}

// points are the throughputs of all fixed numbers and of all governors, and beside
// them the limits that the governors chose.
func (j *job) points(s scale) []point {
	return slices.Concat(
		each(j.numbers(s), func(n int) point { return j.point(s, fixedAt(n)) }),
		each(governors(), func(g governor) point { return j.point(s, g) }),
		concat(governors(), func(g governor) []point { return []point{j.beside(s, g, meanLimit), j.beside(s, g, medianLimit)} }))
}

// What a stream shows beside its throughput.
const (
	meanLimit   = "mean limit"
	medianLimit = "median limit"
)

const limitUnit = "at a time"

// beside is a figure that a stream shows beside its throughput.
func (j *job) beside(s scale, g governor, extra string) point {
	return j.point(s, g).showing(j.labelOf(g)+", "+extra, limitUnit, extra)
}

// speedup is the throughput over that of one unit at a time.
func (j *job) speedup(s scale, g governor) point {
	p := j.point(s, g)
	p.unit, p.per = speedupUnit, j.from(fixedAt(1))
	return p
}

func (j *job) task(g governor, length time.Duration) (task, error) {
	w, err := j.open()
	if err != nil {
		return task{}, err
	}
	st := &streamed{work: w, length: length, count: int64(j.count), label: g.name, panel: j.name, ours: g.ours}
	return task{
		run:    func() error { return st.under(g, j.most) },
		check:  st.check,
		figure: func(time.Duration) float64 { return st.rate },
		aside:  st.aside,
		close:  w.close,
		once:   true,
	}, nil
}

// A streamed job sends units through a gate until its time is over or all are done, one
// producer, and each unit in a goroutine of its own, as the article does.
type streamed struct {
	*work
	length       time.Duration // at least, and until a unit has ended; of a finite stream as long as it takes
	count        int64         // of units; 0 for endless
	label, panel string
	ours         bool
	begun, ended atomic.Int64
	first        sync.Once
	err          error // of the first unit that failed
	rate         float64
	times        unitTimes
	watch        *watch
}

// under runs it under a governor. The limit is at most most, unless that is 0.
func (st *streamed) under(g governor, most int) error {
	way := g.open(most)
	defer way.close()
	return st.run(way)
}

func (st *streamed) run(g gate) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if st.count > 0 {
		st.length = math.MaxInt64
	}
	st.watch = newWatch(st, g)
	some := make(chan struct{}) // closed when a unit has ended
	var at time.Duration
	// The counter and the clock are read together, however late: many units that
	// compute delay timers by as many time slices.
	cut := time.AfterFunc(st.length, func() {
		select {
		case <-some: // without one there is no throughput
		case <-ctx.Done():
			return
		}
		at = time.Since(st.watch.began)
		st.rate = float64(st.ended.Load()) / at.Seconds()
		st.times.cut(at)
		stop()
	})
	defer cut.Stop()
	var units sync.WaitGroup
	for st.count == 0 || st.begun.Load() < st.count {
		u, err := g.enter(ctx)
		if err != nil {
			break
		}
		i := st.begun.Add(1) - 1
		units.Go(func() {
			g.do(u, func() {
				began := st.times.begin(st.watch)
				if err := st.unit(i); err != nil {
					st.first.Do(func() { st.err = err })
					stop()
				}
				st.times.end(st.watch, began)
				if st.ended.Add(1) == 1 {
					close(some)
				}
			})
		})
	}
	units.Wait()
	if st.count == 0 {
		<-ctx.Done() // the cut, after which nothing changes rate
		st.watch.close()
		if st.err == nil { // after an error the cut may be missing
			st.length = max(st.length, at)
		}
		return st.err
	}
	took := time.Since(st.watch.began)
	st.watch.close()
	st.rate, st.length = float64(st.count)/took.Seconds(), took
	return st.err
}

func (st *streamed) check() error {
	switch b, e := st.begun.Load(), st.ended.Load(); {
	case b != e:
		return fmt.Errorf("%d units were begun and %d ended", b, e)
	case st.count > 0 && e != st.count:
		return fmt.Errorf("%d units ended, want %d", e, st.count)
	}
	return nil
}

func (st *streamed) aside() aside {
	return aside{
		Extra:  map[string]float64{meanLimit: st.watch.mean(), medianLimit: st.watch.median()},
		Series: st.watch.series(st.panel, st.label, st.ours),
	}
}

type watch struct {
	st     *streamed
	g      gate
	began  time.Time
	sensor sense.Sensor
	looks  []look
	quit   chan struct{}
	gone   sync.WaitGroup
}

// A look is what is seen at an instant.
type look struct {
	at    float64
	limit int
	ended int64
	own   float64 // CPU seconds so far
	cpus  float64
	aim   *aim // nil if there is none
}

// looksEach is how often a watch looks: four times in the article's period. Its
// pictures show means of longer times.
const looksEach = 25 * time.Millisecond

func newWatch(st *streamed, g gate) *watch {
	w := &watch{st: st, g: g, began: time.Now(), sensor: sense.NewProcess(), quit: make(chan struct{})}
	w.look()
	w.gone.Go(func() {
		t := time.NewTicker(looksEach)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				if time.Since(w.began) < st.length {
					w.look()
				}
			case <-w.quit:
				return
			}
		}
	})
	return w
}

func (w *watch) look() {
	limit := w.g.limit()
	s := w.sensor.Sense(limit)
	w.looks = append(w.looks, look{time.Since(w.began).Seconds(), limit, w.st.ended.Load(), s.OwnCPU, s.CPUs, w.g.aim()})
}

func (w *watch) close() {
	close(w.quit)
	w.gone.Wait()
}

// mean returns that of the limit over time. A limit counts until the next look,
// the last until the end, and the first from the beginning.
func (w *watch) mean() float64 {
	sum := 0.0
	w.spans(func(l look, d float64) { sum += float64(l.limit) * d })
	return sum / w.st.length.Seconds()
}

// median returns the limit that was not exceeded for half of the time.
func (w *watch) median() float64 {
	type held struct{ limit, d float64 }
	var all []held
	w.spans(func(l look, d float64) { all = append(all, held{float64(l.limit), d}) })
	slices.SortFunc(all, func(a, b held) int { return int(a.limit - b.limit) })
	left := w.st.length.Seconds() / 2
	for _, h := range all {
		if left -= h.d; left <= 0 {
			return h.limit
		}
	}
	return all[len(all)-1].limit
}

func (w *watch) spans(f func(l look, d float64)) {
	from := 0.0 // a look takes its time, the first most
	for i, l := range w.looks {
		until := w.st.length.Seconds()
		if i+1 < len(w.looks) {
			until = min(until, w.looks[i+1].at) // it may have been late
		}
		f(l, max(0, until-from))
		from = until
	}
}

// mostTimes is how many values a picture over time has at most.
const mostTimes = 100

// series returns throughput, CPU usage, set point and limit over time, as means
// of equal spans.
func (w *watch) series(panel, label string, ours bool) []figures.Series {
	named := func(name, unit string) figures.Series {
		return figures.Series{Panel: panel, Label: label, Name: name, Unit: unit, Ours: ours}
	}
	rate, limit := named(seriesRate, streamUnit), named(seriesLimit, limitUnit)
	usage, set := named(seriesUsage, "%"), named(seriesUsage, "%")
	set.Goal = true
	// A span holds at least one period of the article, long enough to measure
	// CPU time.
	span := max(articlePeriod.Seconds(), w.st.length.Seconds()/mostTimes)
	from := 0
	for i := 1; i < len(w.looks); i++ {
		a, b := w.looks[from], w.looks[i]
		d := b.at - a.at
		if d < span*0.99 {
			continue
		}
		limits := 0.0
		for k := from; k < i; k++ {
			limits += float64(w.looks[k].limit) * (w.looks[k+1].at - w.looks[k].at)
		}
		add := func(s *figures.Series, v float64) {
			s.Times = append(s.Times, rounded(b.at))
			s.Values = append(s.Values, rounded(v))
		}
		add(&rate, float64(b.ended-a.ended)/d)
		add(&limit, limits/d)
		if b.aim != nil {
			add(&usage, b.aim.usage)
			add(&set, b.aim.setPoint)
		} else {
			add(&usage, min(100, 100*(b.own-a.own)/(d*max(b.cpus, 1))))
		}
		from = i
	}
	all := []figures.Series{rate, usage, limit}
	if len(set.Times) > 0 {
		all = append(all, set)
	}
	return all
}

// What is followed over time.
const (
	seriesRate  = "throughput"
	seriesUsage = "CPU usage"
	seriesLimit = "limit"
)

// rounded leaves four digits: no picture shows more, and files stay small.
func rounded(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	p := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*p) / p
}
