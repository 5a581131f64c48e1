package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/control"
)

var tripwireNumbers = []int{4, 6, 8, 10, 11, 12, 13, 14, 16, 20, 24, 32, 48, 64, 150}

// tripwireSame is the part of the best score by which the last digit of the table may be
// off.
const tripwireSame = 0.005

// judgeTripwire runs all scenarios. It must be called in a bubble of testing/synctest.
func judgeTripwire(o options) []program.Table {
	t := program.Table{Name: "tripwire", Caption: "Percent of success, mean time and, in brackets, Tripwire's score over that of the best fixed number without a queue, N; the mean limit last. Failsafe-go begins at 20. ✓ has at least its score. Our law for servers is the one that a user of httplimit.Server gets.",
		Head: []string{"configuration", "no limit", "N", "fixed", "failsafe-go", "our law for servers", "from 20", "our " + o.name, "from 20"}, Words: true}
	servers := func() control.Controller { return control.NewOverload(control.NewLatency()) }
	const given = 5 // columns before those that are judged
	for i := range tripwireScenarios {
		sc := &tripwireScenarios[i]
		m := machine{maxLimit: tripwireMaxLimit}
		play := func(admit func(*clock, machine) gate) tripwireResult {
			var rs []tripwireResult
			for _, seed := range o.seeds {
				m.seed = seed
				rs = append(rs, playTripwire(sc, seed, func(c *clock) gate { return admit(c, m) }))
			}
			return meanResult(rs)
		}
		fixed := func(n int) tripwireResult {
			return play(func(c *clock, m machine) gate { return &door{lim: newLimiter(c, nil, n, m)} })
		}
		byLaw := func(law func() control.Controller, start int) tripwireResult {
			return play(func(c *clock, m machine) gate { return &door{newLimiter(c, law(), start, m), doorQueue} })
		}
		n, best := sweepTripwire(fixed)
		ctx, cancel := context.WithCancel(context.Background())
		theirs := play(func(c *clock, _ machine) gate { return newFailsafe(ctx, c, sc.Failsafe) })
		cancel()
		cell := func(r tripwireResult) string {
			s := fmt.Sprintf("%.1f %% %s ms (%.2f)", 100*r.success, figure(1000*r.mean), r.score/best.score)
			if !math.IsNaN(r.limit) {
				s += " " + figure(r.limit)
			}
			return s
		}
		open := fixed(math.MaxInt32)
		open.limit = math.NaN()
		row := []string{sc.Name, cell(open), fmt.Sprint(n), cell(best), cell(theirs)}
		for _, r := range []tripwireResult{
			byLaw(servers, cpus), byLaw(servers, tripwireFirstLimit), byLaw(o.law, cpus), byLaw(o.law, tripwireFirstLimit),
		} {
			mark := ""
			if r.score >= theirs.score-tripwireSame*best.score {
				mark = met
			}
			row = append(row, mark+cell(r))
		}
		t.Add(row...)
	}
	countMarks(&t, "at least failsafe-go's score", given)
	return []program.Table{t}
}

// sweepTripwire returns the fixed number with the best score.
func sweepTripwire(play func(n int) tripwireResult) (n int, best tripwireResult) {
	for _, k := range tripwireNumbers {
		if r := play(k); r.score > best.score {
			n, best = k, r
		}
	}
	return n, best
}

func meanResult(rs []tripwireResult) tripwireResult {
	mean := func(of func(tripwireResult) float64) float64 { return meanOf(rs, of) }
	return tripwireResult{
		success: mean(func(r tripwireResult) float64 { return r.success }),
		mean:    mean(func(r tripwireResult) float64 { return r.mean }),
		score:   mean(func(r tripwireResult) float64 { return r.score }),
		limit:   mean(func(r tripwireResult) float64 { return r.limit }),
	}
}
