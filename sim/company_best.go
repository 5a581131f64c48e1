package sim

import (
	"fmt"
	"math"
	"slices"
)

// A fixedBest is what the best fixed limits of a company get, on a machine
// without noise. The noise is a change of pace that all of a company feels, so
// a run is held against the work that its machine could do (companyRun.work):
// the noise does not weigh, and the figure serves all seeds.
type fixedBest struct {
	edges []float64   // the stretches in which the company stays the same, s; from 0 to the end
	limit []int       // of each loop
	rates [][]float64 // of each loop in each stretch, units per second
}

// bests remembers the best fixed limits: each takes up to a second, or more than that where
// Limiters differ much in pace.
var bests memo[string, *fixedBest] // by the company's parameters

func bestFixed(c *Company) *fixedBest {
	return bests.of(fmt.Sprintf("%+v", *c), func() *fixedBest { return newFixedBest(c) })
}

const (
	// bestMost is the highest fixed limit that is tried.
	bestMost = 1024
	// tied is how much less a lower fixed limit may get and still be the best: the
	// error of these simulations.
	tied = 0.004

	bestUnits = 40_000 // measured at a time; a quarter as many come before
	bestTurns = 8      // or so many for each unit in flight
	bestSeed  = 1

	// A kind whose units take long has few among all. So of each kind at least so many are
	// measured, or so many for each unit in flight, and one for each comes before; but no
	// longer than the company lasts.
	bestOfKind, bestTurnsOfKind = 400, 4

	// bestRefused bounds the units that end, for each that is to complete. A limit
	// with more refusals than that is none to be looked for.
	bestRefused = 10

	// bestRounds bounds how often the limits of unlike loops are revised.
	bestRounds = 6
)

// newFixedBest looks for the limits, the same for all loops of a kind, with the
// highest product of the loops' throughputs. For loops that are alike that is
// the highest sum; for others no unit of one counts more than one of another.
// It moves the limit of one kind at a time, on half octaves.
func newFixedBest(c *Company) *fixedBest {
	s := newFixedSearch(c)
	at := make([]int, len(s.kinds)) // indices of the grid
	for k := range at {
		s.scan(at, k)
	}
	for range bestRounds {
		before := slices.Clone(at)
		for k := range at {
			s.climb(at, k)
		}
		if slices.Equal(at, before) {
			break
		}
	}
	best := s.try(at)
	b := &fixedBest{edges: s.edges}
	for _, l := range s.loops {
		k := s.kindOf(l)
		b.limit = append(b.limit, best.limits[k])
		b.rates = append(b.rates, best.rates[l.index])
	}
	return b
}

type fixedSearch struct {
	company *Company
	loops   []*companyLoop
	edges   []float64
	kinds   []string
	most    []int // of each kind
	known   map[string]*fixedTry
}

func newFixedSearch(c *Company) *fixedSearch {
	s := &fixedSearch{company: c, loops: newCompanyRun(c, bestSeed).loops, edges: []float64{0, c.Seconds}, known: map[string]*fixedTry{}}
	for _, l := range s.loops {
		if !slices.Contains(s.kinds, l.kind) {
			s.kinds, s.most = append(s.kinds, l.kind), append(s.most, min(l.most(), bestMost))
		}
		s.edges = append(s.edges, l.Start)
	}
	for i := range c.Servers {
		if o := c.Servers[i].Outage; o.To > o.From {
			s.edges = append(s.edges, o.From, o.To)
		}
	}
	slices.Sort(s.edges)
	s.edges = slices.Compact(s.edges)
	return s
}

type fixedTry struct {
	limits []int       // of each kind
	rates  [][]float64 // of each loop in each stretch
	worth  float64     // mean logarithm of the loops' throughputs
}

// halfOctave returns the i-th of 1, 2, 3, 4, 6, 8, 12, ...
func halfOctave(i int) int {
	switch {
	case i == 0:
		return 1
	case i%2 == 1:
		return 1 << ((i + 1) / 2)
	}
	return 3 << (i/2 - 1)
}

// onGrid reports whether the i-th of the grid is one that kind k can use.
func (s *fixedSearch) onGrid(k, i int) bool { return i == 0 || i > 0 && halfOctave(i-1) < s.most[k] }

// worth returns that of the limits at, but with the i-th of the grid for kind k.
func (s *fixedSearch) worth(at []int, k, i int) float64 {
	at = slices.Clone(at)
	at[k] = i
	return s.try(at).worth
}

// scan looks at all octaves for one kind.
func (s *fixedSearch) scan(at []int, k int) {
	best := s.worth(at, k, 0)
	for i := 1; s.onGrid(k, i); i += 2 {
		w := s.worth(at, k, i)
		if w < best-math.Ln2 {
			return // half as much: higher up it gets worse
		}
		if w > best {
			best, at[k] = w, i
		}
	}
}

// climb goes from one kind's limit to the next better ones of the grid, and to
// the least that is as good.
func (s *fixedSearch) climb(at []int, k int) {
	for s.onGrid(k, at[k]+1) && s.worth(at, k, at[k]+1) > s.worth(at, k, at[k]) {
		at[k]++
	}
	best := s.worth(at, k, at[k])
	for at[k] > 0 {
		w := s.worth(at, k, at[k]-1)
		if w < best-tied {
			return
		}
		best = max(best, w)
		at[k]--
	}
}

// try measures the limits at these indices of the grid.
func (s *fixedSearch) try(at []int) *fixedTry {
	key := fmt.Sprint(at)
	if t := s.known[key]; t != nil {
		return t
	}
	t := &fixedTry{}
	for k, i := range at {
		t.limits = append(t.limits, min(halfOctave(i), s.most[k]))
	}
	t.rates = s.measure(t.limits)
	for _, rates := range t.rates {
		sum := 0.0
		for i, x := range rates {
			sum += x * (s.edges[i+1] - s.edges[i])
		}
		// A loop that completes nothing at any limit leaves it to the others which is best.
		t.worth += math.Log(max(sum, math.SmallestNonzeroFloat64)) / float64(len(t.rates))
	}
	s.known[key] = t
	return t
}

// measure returns the throughput of each loop in each stretch with fixed limits.
// What begins in one stretch may end in the next, so it runs through them all.
func (s *fixedSearch) measure(limits []int) [][]float64 {
	c := *s.company
	c.Noise = 0
	r := newCompanyRun(&c, bestSeed)
	for _, l := range r.loops {
		l.limit = limits[s.kindOf(l)]
	}
	if len(s.edges) == 2 {
		return s.steady(r)
	}
	rates := make([][]float64, len(r.loops))
	for _, to := range s.edges[1:] {
		from, before := r.now, r.completed()
		for _, l := range r.loops {
			if l.begun = l.Start <= from; l.begun {
				r.admit(l)
			}
		}
		r.advance(to)
		for i, l := range r.loops {
			rates[i] = append(rates[i], float64(l.r.Completed-before[i])/(to-from))
		}
	}
	return rates
}

// steady measures a company in which nothing happens, once it has begun. Each loop
// gets the mean of its kind.
func (s *fixedSearch) steady(r *companyRun) [][]float64 {
	rates := make([][]float64, len(r.loops))
	for i := range rates {
		rates[i] = []float64{0}
	}
	most, inFlight := 0, make([]int64, len(s.kinds))
	for _, l := range r.loops {
		l.begun = true
		most += l.limit
		inFlight[s.kindOf(l)] += int64(l.limit)
		r.admit(l)
	}
	each := make([]int64, len(inFlight))
	for k, n := range inFlight {
		each[k] = max(bestOfKind, bestTurnsOfKind*n)
	}
	units := int64(max(bestUnits, bestTurns*most))
	if !s.complete(r, units/4, inFlight) {
		return rates
	}
	from, before := r.now, r.completed()
	s.complete(r, units, each)
	sum, count := map[string]float64{}, map[string]float64{}
	for i, l := range r.loops {
		sum[l.kind] += float64(l.r.Completed-before[i]) / (r.now - from)
		count[l.kind]++
	}
	for i, l := range r.loops {
		rates[i][0] = sum[l.kind] / count[l.kind]
	}
	return rates
}

// complete runs a company without governors until so many units more have completed, and of
// each kind as many as each says, if they do in the time that the company lasts. It reports
// whether they have before too many ended in other ways.
func (s *fixedSearch) complete(r *companyRun, units int64, each []int64) bool {
	until, ended, before := r.now+s.company.Seconds, r.ended, r.completed()
	for step := tick; ; step *= 1.1 {
		all, lacking := int64(0), slices.Clone(each)
		for i, n := range r.completed() {
			all += n - before[i]
			lacking[s.kindOf(r.loops[i])] -= n - before[i]
		}
		to := r.now + step
		if all >= units {
			if r.now >= until || slices.Max(lacking) <= 0 {
				return true
			}
			to = min(to, until)
		}
		if r.ended-ended >= bestRefused*max(units, all) {
			return false
		}
		r.advance(to)
	}
}

func (s *fixedSearch) kindOf(l *companyLoop) int { return slices.Index(s.kinds, l.kind) }

// completed returns how many units of each loop have.
func (r *companyRun) completed() []int64 {
	var n []int64
	for _, l := range r.loops {
		n = append(n, l.r.Completed)
	}
	return n
}
