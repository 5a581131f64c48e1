package loop

import (
	"context"
	"fmt"
	"time"
)

// Judge returns the outcome of a unit that ended with err.
func (l *Loop) Judge(err error) Outcome {
	o := l.Config.Classify(err)
	if o > Overloaded {
		panic(fmt.Sprintf("sweetspot: the function of Classify returned %d: want Done, Ignored or Overloaded", o))
	}
	return o
}

// Do runs f with a permit, which the context of f carries, or under that of ctx.
func (l *Loop) Do(ctx context.Context, f func(ctx context.Context) error) error {
	if l.Holds(ctx) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return f(ctx)
	}
	return l.do(ctx, f, 1, 0)
}

// DoWeight is Do for a unit of that weight. Under the permit of ctx it takes the weight
// only, unless that unit has one.
func (l *Loop) DoWeight(ctx context.Context, weight int64, f func(ctx context.Context) error) error {
	share := l.budget.share(weight)
	if !l.Holds(ctx) {
		return l.do(ctx, f, weight, share)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if share == 0 || l.HoldsWeight(ctx) {
		return f(ctx)
	}
	if err := l.budget.take(ctx, share); err != nil {
		return err
	}
	inside := l.WithPermit(ctx)
	inside.weighed, inside.within = true, true
	defer func() {
		inside.Drop()
		l.budget.give(share)
	}()
	return f(inside)
}

// do is Do and DoWeight outside of another unit.
func (l *Loop) do(ctx context.Context, f func(ctx context.Context) error, weight, share int64) error {
	began, err := l.begin(ctx, share)
	if err != nil {
		return err
	}
	inside, o := l.WithPermit(ctx), Ignored
	inside.weighed = share > 0
	defer func() {
		inside.Drop()
		l.budget.give(share)
		inside.End(began, o, weight)
	}()
	err = f(inside)
	o = l.Judge(err)
	return err
}

// BeginWeight takes a permit, and then the weight of a unit, and returns when it had the
// permit and what it has of the budget.
func (l *Loop) BeginWeight(ctx context.Context, weight int64) (began time.Duration, share int64, err error) {
	share = l.budget.share(weight) // first, as it may panic
	began, err = l.begin(ctx, share)
	return began, share, err
}

func (l *Loop) begin(ctx context.Context, share int64) (began time.Duration, err error) {
	if err := l.Acquire(ctx); err != nil {
		return 0, err
	}
	began = l.Clock()
	if share > 0 {
		if err := l.budget.take(ctx, share); err != nil {
			l.Cancel()
			return 0, err
		}
	}
	return began, nil
}

// End gives back the permit of a unit that began then, on the clock of l, with its
// outcome and, if it is done, its weight.
func (l *Loop) End(began time.Duration, o Outcome, weight int64) {
	switch o {
	case Done:
		l.endDone(began, weight)
	case Ignored:
		l.plant.sem.Cancel()
		l.plant.ignored.Add(1)
	case Overloaded:
		l.plant.sem.Cancel()
		l.overloaded(1, 0, nil)
	default:
		panic(fmt.Sprintf("sweetspot: Unit.End: outcome %d: want Done, Ignored or Overloaded", o))
	}
}

func (l *Loop) endDone(began time.Duration, weight int64) {
	ended := l.Clock()
	// The permit first, as that may panic, and as somebody may wait for it.
	switch {
	case weight == 1:
		l.plant.sem.Release()
	case weight > 0:
		l.plant.release(weight)
	case weight == 0:
		l.plant.releaseNothing()
	default:
		panic(fmt.Sprintf("sweetspot: Unit.End: weight %d: want 0 or more", weight))
	}
	l.plant.residence.add(began, ended)
}

// overloaded counts units that were overloaded in the same turn as that many that were done,
// and as calls inside of them.
func (l *Loop) overloaded(units, done int, n *Nested) {
	share := n.take()
	if units > 0 {
		own := float64(units) / float64(units+done)
		share = own + (1-own)*share // of the turn, which is one however much n has
	}
	if share > 0 && l.plant.overloaded(units, share, done > 0) {
		l.gov.hasten()
	}
}
