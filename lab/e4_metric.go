package lab

import (
	"fmt"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/sense"
)

const (
	metricReads   = "reading, "
	metricReal    = "real"
	metricExcess  = "limit, "
	metricOwn     = "own CPU"
	metricMachine = "machine CPU"
)

// The neighbours of the simulations: half of 8 CPUs under work that computes, half
// of 4 under work that computes for half of its time, for a third of a minute.
var metricScenarios = []string{"extcpu", "extload"}

// metrics are two: the talk names the first, and its published code reads the
// second.
var metrics = []struct {
	label  string
	metric control.Metric
}{{metricOwn, control.OwnCPU}, {metricMachine, control.MachineCPU}}

func e4() *experiment {
	return &experiment{
		id: "E4", size: size{500, 3000, 30_000, "ms of real work, and simulations of 60 s"},

		better: higher,
		points: func(s scale) []point {
			var ps []point
			for _, sc := range scenariosOf(metricScenarios) {
				for _, m := range metrics {
					l := targetLaw(highGain, m.metric)
					ps = append(ps, l.scoreOf(m.label+", "+sc.Name, sc), l.excessOf(metricExcess+m.label+", "+sc.Name, sc))
				}
				ps = append(ps, searchLaw.scoreOf(lawOurs+sc.Name, sc).asOurs(), searchLaw.excessOf(metricExcess+lawOurs+sc.Name, sc).asOurs())
			}
			for _, m := range metrics {
				g, rounds := underLaw(targetLaw(highGain, m.metric)), 0
				if s == full && m.metric == control.OwnCPU {
					rounds = decidingRounds
				}
				ps = append(ps, inRounds(rounds,
					besides(toMix.scored(m.label+", "+metricReal, g)), besides(toMix.limitOf(metricExcess+m.label+", "+metricReal, g)))...)
			}
			return append(append(ps, each(readingPoints(), besides)...),
				besides(toMix.scored(lawOurs+metricReal, ourLaw)),
				besides(toMix.limitOf(metricExcess+lawOurs+metricReal, ourLaw)))
		},
		judge: func(r *results) verdict {
			own, machine := r.at(metricReads+metricOwn, 0), r.at(metricReads+metricMachine, 0)
			notes := []string{fmt.Sprintf("With one CPU's worth of work beside a neighbour with as much, own CPU reads %s and machine CPU %s.", percent(own), percent(machine))}
			suits, worst := []figures.Effect(nil), ""
			for _, work := range append(append([]string(nil), metricScenarios...), metricReal) {
				a, b, s := r.at(metricOwn+", "+work, 0), r.at(metricMachine+", "+work, 0), r.at(lawOurs+work, 0)
				suits = append(suits, interval(a).above(goodScore))
				worst += fmt.Sprintf(" %s %s,", work, humanize.Number(a.Y))
				unit := "times the limit needed"
				if work == metricReal {
					unit = "at a time"
				}
				notes = append(notes, fmt.Sprintf("%s: by own CPU the law has %s of the best throughput with %s %s, by machine CPU %s with %s, ours %s with %s.",
					capital(work), humanize.Number(a.Y), r.metricLimit(metricOwn+", "+work), unit, humanize.Number(b.Y), r.metricLimit(metricMachine+", "+work), humanize.Number(s.Y), r.metricLimit(lawOurs+work)))
			}
			effect := every(suits...)
			does := says(effect, "leads to", "does not lead to", "may or may not lead to")
			load := metricScenarios[len(metricScenarios)-1]
			best := r.bestOf(func(p *figures.Point) bool {
				return p.Label == metricOwn+", "+load || p.Label == metricMachine+", "+load
			})
			if n := len(r.at(metricOwn+", "+metricReal, 0).Samples); n > enoughRounds {
				notes[len(notes)-1] += fmt.Sprintf(" The verdict turns on this work, so the law was measured on it by own CPU in %d rounds.", n)
			}
			return verdict{
				words:  fmt.Sprintf("beside a neighbour the talk's metric %s %g of the best throughput in each work:%s", does, goodScore, strings.TrimSuffix(worst, ",")),
				effect: effect, ours: r.answerTo(best, r.at(lawOurs+load, 0)), notes: notes,
			}
		},
		untold: func(r *results) string {
			scores := r.at(metricOwn+", "+metricReal, 0).Samples
			return fmt.Sprintf("In simulation the law has more than %g. The real work is undecided, with %s of the best throughput from round to round. With that spread it takes about %s to decide. "+
				"The spread comes from the law, which is at another limit in each stream of %s, and from the neighbour, which takes half of this machine.",
				goodScore, from(scores), humanize.Count(roundsToDecide(scores, goodScore), "rounds"), lengthOf(r))
		},
	}
}

// decidingRounds are those of the real work by own CPU, at full size, because the verdict
// turns on it. In the eight rounds of an earlier run it had 0.64 to 0.95 of the best, for
// which roundsToDecide says 37.
const decidingRounds = 40

func (r *results) metricLimit(of string) string { return humanize.Number(r.at(metricExcess+of, 0).Y) }

func besides(p point) point {
	return p.with(func(t *task, _ int) {
		run := t.run
		t.run = func() error { return withNeighbour(run) }
	})
}

// readingTime is long against the 10 ms in which kernels count CPU time.
const readingTime = 150 * time.Millisecond

// readingPoints are what the two metrics read while this process keeps one CPU
// busy, at the same time.
func readingPoints() []point {
	own := point{label: metricReads + metricOwn, unit: percentCPU, aside: true, from: "the readings of E4", set: func(int) (task, error) {
		return valuedBeside(metricMachine, func() (ownCPU, machineCPU float64, _ error) {
			ownCPU, machineCPU = usageOf(func() { spin(readingTime) })
			return ownCPU, machineCPU, nil
		}), nil
	}}
	return []point{own, own.showing(metricReads+metricMachine, percentCPU, metricMachine)}
}

// usageOf reads the CPU usage while f runs, in percent.
func usageOf(f func()) (own, machine float64) {
	sensor, began := sense.NewProcess(), time.Now()
	read := func() control.Reading {
		s := sensor.Sense(0)
		return control.Reading{At: time.Since(began), OwnCPU: s.OwnCPU, MachineCPU: s.MachineCPU, CPUs: s.CPUs}
	}
	from := read()
	f()
	to := read()
	return control.OwnCPU.Usage(from, to), control.MachineCPU.Usage(from, to)
}
