package lab

import (
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/limit"
)

const (
	elasticLoose     = "counter"
	elasticPublished = "counter, as published"
	elasticChannel   = "buffered channel"
	elasticWeighted  = "x/sync/semaphore"
	elasticExact     = "limit.Semaphore"
	elasticPool      = "Pool"

	beyondLimit = "in flight beyond the limit, "
	neverServed = "never admitted, "
	outOfTurn   = "admitted out of turn, "
	longLived   = "long-lived workers at work, "
	yielding    = ", yields inside"

	// The contended points have as many goroutines as the measurements that the
	// library's own semaphore was chosen by.
	elasticMany    = 64
	elasticPermits = 2
)

func e1() *experiment {
	return &experiment{
		id: "E1", size: size{10_000, 100_000, 1_000_000, "pairs of Wait and Signal"},
		axis: figures.Axis{Name: "goroutines"},
		points: func(scale) []point {
			gates := []struct {
				label string
				new   func(n int) waitSignal
			}{
				{elasticChannel, func(n int) waitSignal { return make(channelGate, n) }},
				{elasticLoose, func(n int) waitSignal { return newLoose(n, wakesEach) }},
				{elasticPublished, func(n int) waitSignal { return newLoose(n, wakesLast) }},
				{elasticWeighted, func(n int) waitSignal { return weightedGate{semaphore.NewWeighted(int64(n))} }},
				{elasticExact, func(n int) waitSignal { return exactGate{limit.New(n)} }},
			}
			var ps []point
			for _, x := range []struct {
				goroutines int
				between    func()
				suffix     string
			}{{1, nothingBetween, ""}, {elasticMany, microsecond, ""}, {elasticMany, runtime.Gosched, yielding}} {
				for _, g := range gates {
					if g.label != elasticPublished || x.goroutines == 1 {
						p := pairPoint(g.label+x.suffix, x.goroutines, x.between, func() waitSignal { return g.new(elasticPermits) })
						p.aside, p.ours = x.suffix != "", g.label == elasticExact
						ps = append(ps, p)
					}
				}
			}
			for _, g := range gates {
				if _, elastic := g.new(1).(elasticGate); elastic {
					for _, p := range loweringPoints(g.label, g.new) {
						p.ours = g.label == elasticExact
						ps = append(ps, p)
					}
				}
			}
			return append(ps, longPoint(longLived+elasticLoose, longByLoose), longPoint(longLived+elasticPool, longByPool).asOurs())
		},
		judge: func(r *results) verdict {
			loose, published, exact := r.lowered(elasticLoose), r.lowered(elasticPublished), r.lowered(elasticExact)
			workers, parked := r.at(longLived+elasticLoose, 0), r.at(longLived+elasticPool, 0)
			best := r.bestOf(func(p *figures.Point) bool { return !p.Ours && !p.Aside && p.X == 1 })
			return verdict{
				words: fmt.Sprintf("after the limit went from %d to %d the talk's semaphore %v; of %d long-lived workers limited to %d, %s work on",
					runningAtFirst, limitLowered, loose, longWorkers, longLowered, humanize.Number(workers.Y)),
				effect: every(interval(r.at(beyondLimit+elasticLoose, 0)).above(0), interval(workers).above(longLowered)),
				ours:   r.answerTo(best, r.at(elasticExact, 1)),
				notes: []string{
					fmt.Sprintf("The counter looks the same whether goroutines wait or the limit was lowered. If each signal wakes a goroutine, the semaphore %v. As published, where only a signal at -1 does, it %v. Ours %v. Of the long-lived workers of a Pool, %s work on.",
						loose, published, exact, humanize.Number(parked.Y)),
					fmt.Sprintf("For one goroutine, Acquire and Release of x/sync/semaphore take %v the time of ours, and those of the buffered channel %v; with %d goroutines and 1 µs of work, %v and %v; where they only yield, %v and %v. Neither of the two can change its limit.",
						r.costlier(elasticWeighted, "", 1), r.costlier(elasticChannel, "", 1), elasticMany,
						r.costlier(elasticWeighted, "", elasticMany), r.costlier(elasticChannel, "", elasticMany),
						r.costlier(elasticWeighted, yielding, elasticMany), r.costlier(elasticChannel, yielding, elasticMany)),
				},
			}
		},
	}
}

// costlier returns how many times as long a pair takes as with ours.
func (r *results) costlier(label, suffix string, x float64) estimate {
	return ratio(r.at(label+suffix, x), r.at(elasticExact+suffix, x))
}

// A loweredGate is what a lowered limit does to a semaphore.
type loweredGate struct{ beyond, lost, passed float64 }

func (r *results) lowered(label string) loweredGate {
	y := func(what string) float64 { return r.at(what+label, 0).Y }
	return loweredGate{y(beyondLimit), y(neverServed), y(outOfTurn)}
}

func (l loweredGate) String() string {
	var s []string
	switch {
	case l.beyond > 0:
		s = append(s, fmt.Sprintf("lets %s more run than the limit", humanize.Number(l.beyond)))
	case l.lost < waitingThen:
		s = append(s, "lets no more run than the limit")
	}
	if l.lost > 0 {
		s = append(s, fmt.Sprintf("leaves %s of %d waiting for ever", humanize.Number(l.lost), waitingThen))
	}
	if l.passed > 0 {
		s = append(s, fmt.Sprintf("lets %s be overtaken", humanize.Number(l.passed)))
	}
	return strings.Join(s, " and ")
}
