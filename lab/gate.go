package lab

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/kaburaya"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A gate bounds how many units of work run at a time.
type gate interface {
	// enter waits for a permit, and returns an error if ctx is done first.
	enter(ctx context.Context) (sweetspot.Unit, error)
	// do does a unit with a permit, and gives that back.
	do(u sweetspot.Unit, unit func())
	limit() int
	// aim returns the last target, or nil if the gate does not aim at a CPU usage.
	aim() *aim
	close()
}

// An aim is a CPU usage and what it should be, in percent.
type aim struct{ usage, setPoint float64 }

// The parameters that the article reports to be good in most cases: gains from
// 0.1 to 0.3, a change rate of 0.3. Its period is 100 ms.
const (
	articlePeriod     = 100 * time.Millisecond
	articleGain       = 0.1
	articleChangeRate = 0.3
)

// byLimiter is this library's gate, whether it finds its limit or has a fixed one,
// so that both pay for the same machinery.
type byLimiter struct {
	l     *sweetspot.Limiter
	aimed func() *aim
}

func unaimed() *aim { return nil }

func (g byLimiter) enter(ctx context.Context) (sweetspot.Unit, error) { return g.l.Begin(ctx) }

func (g byLimiter) do(u sweetspot.Unit, unit func()) {
	u = u.Restart() // in the goroutine that does it
	unit()
	u.End(sweetspot.Done, 1)
}

func (g byLimiter) limit() int { return g.l.Limit() }
func (g byLimiter) aim() *aim  { return g.aimed() }
func (g byLimiter) close()     {}

// A lastAim keeps the last target.
type lastAim struct{ atomic.Pointer[aim] }

func (l *lastAim) aim() *aim { return cmp.Or(l.Load(), new(aim)) }

// byArticle is the article's semaphore.
type byArticle struct {
	sem *kaburaya.Sem
	lastAim
}

// bare leaves out what a sensor knows about memory, threads and files, because
// the published law does not know them.
type bare struct{ sense.Sensor }

func (b bare) Sense(inFlight int) sense.Sample {
	s := b.Sensor.Sense(inFlight)
	s.Ceiling, s.Why = 0, ""
	return s
}

// enter cannot be interrupted. A unit that runs gives its permit back, so it
// returns nevertheless.
func (g *byArticle) enter(ctx context.Context) (sweetspot.Unit, error) {
	g.sem.Wait()
	if ctx.Err() != nil {
		g.sem.Signal()
	}
	return sweetspot.Unit{}, ctx.Err()
}

func (g *byArticle) do(_ sweetspot.Unit, unit func()) {
	defer g.sem.Signal()
	unit()
}

func (g *byArticle) limit() int { return g.sem.Limit() }
func (g *byArticle) close()     { g.sem.Stop() }

// A governor is a way to find the number of units at a time.
type governor struct {
	name  string
	ours  bool
	fixed int // 0 finds it
	// open makes its gate. A gate without a highest limit of its own gets one: most,
	// which is what the work bears, or 0.
	open func(most int) gate
	// law is what it does in simulation; nil if that is not known.
	law func() control.Controller
}

func fixedAt(n int) governor {
	return governor{name: fixedNumber, fixed: n, open: func(int) gate {
		l := sweetspot.New()
		l.SetLimit(n)
		return byLimiter{l, unaimed}
	}}
}

// The article's law has two forms: as published, and mended (package kaburaya says how).
// Both read the CPU usage of the application, as in the talk. The published code reads
// that of the machine: E4 compares the two.
const (
	asPublished = "the article's law, as published"
	mended      = "the article's law, mended"
)

// published is the law as published, with its parameters.
func published(gain, changeRate float64) governor {
	name := asPublished
	if gain != articleGain || changeRate != articleChangeRate {
		name += fmt.Sprintf(", gain %g, change rate %g", gain, changeRate)
	}
	g := byArticleLaw(name, gain, kaburaya.AsPublished(), kaburaya.ChangeRate(changeRate))
	g.law = func() control.Controller { return control.NewDynamicTarget(gain, changeRate) }
	return g
}

// articleMost returns how high the article's law may go. most is what the work bears, 0 if that
// is not known.
func articleMost(most int) int { return cmp.Or(min(most, mostTried), mostTried) }

// byArticleLaw has a highest limit: the published law has none, and would take all of the
// memory.
func byArticleLaw(name string, gain float64, options ...kaburaya.Option) governor {
	return governor{name: name, open: func(most int) gate {
		g := &byArticle{}
		g.sem = kaburaya.NewSem(articlePeriod, gain, append(options,
			kaburaya.Sensor(bare{sense.NewProcess()}), kaburaya.Max(articleMost(most)),
			kaburaya.Record(func(p kaburaya.Point) { g.Store(&aim{p.Usage, p.SetPoint}) }))...)
		return g
	}}
}

const (
	fixedNumber = "fixed number"
	oursByName  = "ours"
)

// ourLaw is the library as it is by default.
var ourLaw = governor{name: oursByName, ours: true, open: func(int) gate { return byLimiter{sweetspot.New(), unaimed} }, law: searchLaw.make}

// governors are those that every task is run by.
func governors() []governor {
	return []governor{
		published(articleGain, articleChangeRate),
		byArticleLaw(mended, articleGain),
		ourLaw,
	}
}

// variantGovernors are the variants of the article's law, and are run like it.
func variantGovernors() []governor { return each(variants, underLaw) }
