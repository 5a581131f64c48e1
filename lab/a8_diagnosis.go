package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// The two points that the article compared: as many workers as logical CPUs, and
// twice as many.
const fewDiagnosed, manyDiagnosed = 12, 24

// a8 answers by figures what diagnose shows in full.
func a8() *experiment {
	const label, ours = "Do", "Map"
	return &experiment{
		id: "A8", size: size{32, 250, 30_000, "units of 10,000 hashes"},
		axis: workersAxis,
		points: func(s scale) []point {
			all := []point{doPoint(label, textUnits, fewDiagnosed, wholeBuffer), doPoint(label, textUnits, manyDiagnosed, wholeBuffer), mapPoint(ours, textUnits)}
			ps := slices.Concat(all,
				each(all, func(p point) point { return once(allocations(p), 0) }), // of one run: there are as many in each
				each(all, func(p point) point { return inRuntime(p, s) }))
			if s == quick {
				ps = ps[:len(ps)-1] // the time goes to the two that are compared
			}
			return ps
		},
		inFull: (*runner).inFull,
		judge:  func(r *results) verdict { return r.diagnosed(label, ours) },
		untold: func(r *results) string {
			times := ratios(r.at(label, manyDiagnosed), r.at(label, fewDiagnosed))
			shares := differences(r.at(label+runtimeSuffix, manyDiagnosed), r.at(label+runtimeSuffix, fewDiagnosed))
			return fmt.Sprintf("To see some extra time in the runtime, a share of about 60 %% must be known to half a point. A profile of 1.2 s has 240 samples, so it is wrong by three points: from round to round the difference was %s points. "+
				"It takes about %s to decide. The time with 24 workers was %s times that with 12.", from(shares), r.toTell(shares, noShare), from(times))
		},
		short: always(collectorsPart),
	}
}

// runtimeSuffix marks the label of a point made by inRuntime.
const runtimeSuffix = ", runtime"

// inRuntime is p with the share of the CPU time that is in the runtime as figure,
// in per cent, beside the experiment's own measure.
func inRuntime(p point, s scale) point {
	// With 2 CPUs the profile then has some 80 samples, or 240, so each share is wrong
	// by five points, or three. Six rounds of the former show differences of some 10
	// points, ten of the latter those of 5, if nothing else disturbs them. To be sure
	// that two points are almost identical, six rounds would need 13 s of each: more
	// than this whole experiment may take in the quick size. The verdict says how exact
	// it is.
	least := time.Millisecond * by[time.Duration](s, 400, 1200, 1200)
	p.size = func(n int) string {
		return fmt.Sprintf("%s, again and again for %s ms", humanize.Count(n, "units"), humanize.Grouped(int(least.Milliseconds())))
	}
	p.label += runtimeSuffix
	p.unit = "% of CPU time"
	return p.asAside().with(func(t *task, _ int) {
		w, end := t.work(), t.close
		*t = valued(func() (float64, error) {
			seen, err := dissect.ProfileOf(context.Background(), w, least)
			if err != nil {
				return 0, err
			}
			return 100 * seen.Runtime(), nil
		})
		t.cold, t.close = false, end
	})
}

// almost is how far apart two times may be that count as almost identical. littleShare
// is the same for shares of the CPU time, in per cent, and a share below noShare counts
// as none. The article gives no figure; the times that it wanted to explain were 1 %
// apart.
const (
	almost      = 0.05
	littleShare = 5
	noShare     = 0.5
)

// diagnosed says where the two points differ.
func (r *results) diagnosed(label, ours string) verdict {
	few, many := r.at(label, fewDiagnosed), r.at(label, manyDiagnosed)
	longer := ratio(many, few)
	fewAllocs, manyAllocs := r.at(allocationsOf(label), fewDiagnosed), r.at(allocationsOf(label), manyDiagnosed)
	allocated := ratio(manyAllocs, fewAllocs)
	fewRuntime, manyRuntime := r.at(label+runtimeSuffix, fewDiagnosed), r.at(label+runtimeSuffix, manyDiagnosed)
	extra := removed(manyRuntime, fewRuntime)

	identical := every(longer.within(1, almost), allocated.within(1, almost), extra.within(0, littleShare))
	words := says(identical, "almost identical", "not almost identical",
		"whether they are almost identical is undecided")
	words += fmt.Sprintf(": with 24 workers %v the time of 12, %s x the allocations; ", longer, humanize.Number(allocated.y))
	most := humanize.Number(max(-extra.low, extra.high))
	words += extra.beside(0, "some extra time in the runtime with 12",
		"the runtime's shares differ by no more than "+most+" points, if at all",
		"some extra time in the runtime with 24")
	v := verdict{
		words:  words,
		effect: every(identical, either(extra.sees(0, noShare), extra.sees(0, -noShare))),
		ours:   r.answer(),
		notes: []string{
			fmt.Sprintf("The runtime has %s %% of the CPU time with 24 workers and %s %% with 12, a difference of %s points (%s to %s). Almost identical means within %d points, and within %g %% in time and allocations.",
				humanize.Number(manyRuntime.Y), humanize.Number(fewRuntime.Y), humanize.Number(extra.y), humanize.Number(extra.low), humanize.Number(extra.high), littleShare, 100*almost),
		},
	}
	note := fmt.Sprintf("A unit allocates %s times with 12 workers and %s times with Map", humanize.Number(fewAllocs.Y), humanize.Number(r.at(allocationsOf(ours), 0).Y))
	for _, p := range r.of(ours + runtimeSuffix) {
		note += fmt.Sprintf("; the runtime has %s %% of the CPU time with Map", humanize.Number(p.Y))
	}
	v.notes = append(v.notes, note+".")
	return v
}

// within says whether an interval is that near to a value.
func (e estimate) within(center, near float64) figures.Effect {
	switch {
	case e.low >= center-near && e.high <= center+near:
		return figures.Shows
	case e.low > center+near || e.high < center-near:
		return figures.Absent
	}
	return figures.Untold
}
