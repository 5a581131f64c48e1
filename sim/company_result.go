package sim

import "math"

// A CompanyResult says how the loops of a company did in one run, against the
// best fixed limits. See [RunCompany].
type CompanyResult struct {
	Loops []LoopResult // in the order of processes and Limiters
	// Score is the mean of the loops' Score, and Late that of their Late. Where
	// all loops are alike it is the throughput of the whole company over the best.
	// A loop without one counts in neither, nor in the figures that follow; NaN if
	// no loop has one.
	Score, Late float64
	// Least and LeastLate are those of the loop that does worst.
	Least, LeastLate float64
	// Jain is R. Jain's index of fairness of the Score of loops that are alike:
	// (sum x)²/(n sum x²), 1 if all have the same; the least of all kinds. JainLate
	// is that of their Late. NaN where no two are alike.
	Jain, JainLate float64
	// Ratio is the mean over the last half of the loops' limits over the best fixed.
	Ratio float64
	// Refused is the share of all units that ended as Overloaded. Refusing is the
	// share of the time, in stretches of 100 ms, in which servers turned units away.
	Refused, Refusing float64
}

// A LoopResult says how one loop did.
type LoopResult struct {
	Process   int    // index
	Calls     string // the server, or ""
	Completed int64  // units
	Overloads int64  // units that ended as Overloaded
	Failed    int64  // units that failed in another way
	// Score is the number of units that actually completed over that of the best
	// fixed limits, from the loop's start, its search included; Late is the same
	// over the last half of the run. NaN if the best fixed limits complete nothing
	// in that time.
	Score, Late float64
	Best        int         // the best fixed limit
	Trace       []LoopPoint // from the loop's start on
	Changes     []Change    // what the law decided; From equals To where the limit stayed
}

// A LoopPoint is a 100 ms stretch of a loop; At is its end.
type LoopPoint struct {
	At       float64 // s
	Limit    int     // in force at the end
	InFlight int     // units, at the end
	Rate     float64 // units completed, 1/s
}

// refusals counts the stretches in which servers turned units away.
type refusals struct {
	units    int64 // turned away so far
	with, of int   // stretches
}

func (r *companyRun) point(at float64) {
	const span = ticksPerPoint * tick
	for _, l := range r.loops {
		if l.begun {
			l.trace = append(l.trace, LoopPoint{At: at, Limit: l.limit, InFlight: l.inFlight, Rate: float64(l.r.Completed-l.shown) / span})
			l.shown = l.r.Completed
		}
	}
	var turned int64
	for _, s := range r.servers {
		turned += s.refused
	}
	if turned > r.refused.units {
		r.refused.with++
	}
	r.refused.of++
	r.refused.units = turned
}

func (r *companyRun) finish(best *fixedBest) *CompanyResult {
	res := &CompanyResult{}
	half := r.company.Seconds / 2
	var ended, overloads int64
	for i, l := range r.loops {
		x := LoopResult{
			Process: l.process.index, Calls: l.Calls, Completed: l.r.Completed, Overloads: l.r.Overloads, Failed: l.r.Ignored,
			Best: best.limit[i], Trace: l.trace, Changes: l.changes,
		}
		var all, late float64
		for j, rate := range best.rates[i] {
			from, to := best.edges[j], best.edges[j+1]
			all += rate * r.workBetween(from, to)
			late += rate * r.workBetween(max(from, half), max(to, half))
		}
		x.Score = over(l.r.Completed, all)
		x.Late = over(l.r.Completed-l.half, late)
		res.Loops = append(res.Loops, x)
		res.Ratio += meanLimit(l.trace, half) / float64(x.Best) / float64(len(r.loops))
		ended += l.r.Completed + l.r.Overloads + l.r.Ignored
		overloads += l.r.Overloads
	}
	score := func(i int) float64 { return res.Loops[i].Score }
	late := func(i int) float64 { return res.Loops[i].Late }
	res.Score, res.Least = r.meanAndLeast(score)
	res.Late, res.LeastLate = r.meanAndLeast(late)
	res.Jain, res.JainLate = r.jain(score), r.jain(late)
	res.Refused = float64(overloads) / float64(max(ended, 1))
	res.Refusing = float64(r.refused.with) / float64(r.refused.of)
	return res
}

// over returns the units completed over those of the best fixed limits, NaN where these
// complete none.
func over(completed int64, best float64) float64 {
	if best == 0 {
		return math.NaN()
	}
	return float64(completed) / best
}

// meanAndLeast returns those of the loops that have a figure.
func (r *companyRun) meanAndLeast(of func(i int) float64) (mean, least float64) {
	n := 0.0
	for i := range r.loops {
		x := of(i)
		switch {
		case math.IsNaN(x):
			continue
		case n == 0:
			least = x
		}
		n++
		mean += x
		least = min(least, x)
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	return mean / n, least
}

// workBetween returns what a unit that is never held up could do between two
// times, in seconds of a machine without noise.
func (r *companyRun) workBetween(from, to float64) float64 {
	at := func(t float64) float64 {
		if i := int(math.Round(t / tick)); i > 0 {
			return r.worked[i-1]
		}
		return 0
	}
	return at(to) - at(from)
}

// jain returns the least of the indices of the kinds with several loops that have a figure.
func (r *companyRun) jain(of func(i int) float64) float64 {
	type sums struct{ n, x, x2 float64 }
	kinds := map[string]*sums{}
	for i, l := range r.loops {
		s := kinds[l.kind]
		if s == nil {
			s = &sums{}
			kinds[l.kind] = s
		}
		x := of(i)
		if math.IsNaN(x) {
			continue
		}
		s.n, s.x, s.x2 = s.n+1, s.x+x, s.x2+x*x
	}
	least := math.NaN()
	for _, s := range kinds {
		// The index of a kind that completed nothing at all is NaN.
		if index := s.x * s.x / (s.n * s.x2); s.n > 1 && (index < least || math.IsNaN(least)) {
			least = index
		}
	}
	return least
}

// meanLimit returns the mean of the limits from a time on.
func meanLimit(points []LoopPoint, from float64) float64 {
	sum, n := 0.0, 0.0
	for _, p := range points {
		if p.At > from {
			sum, n = sum+float64(p.Limit), n+1
		}
	}
	return sum / n
}
