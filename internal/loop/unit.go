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
	if err := l.Acquire(ctx); err != nil {
		return err
	}
	inside := l.WithPermit(ctx)
	began, o := l.Clock(), Ignored
	defer func() {
		inside.Drop()
		l.End(began, o, 1)
	}()
	err := f(inside)
	o = l.Judge(err)
	return err
}

// End gives back the permit of a unit that began then, on the clock of l, with its
// outcome and, if it is done, its weight.
func (l *Loop) End(began time.Duration, o Outcome, weight int) {
	switch o {
	case Done:
		l.endDone(began, weight)
	case Ignored:
		l.plant.sem.Cancel()
		l.plant.ignored.Add(1)
	case Overloaded:
		l.plant.sem.Cancel()
		l.overloaded(1, 1)
	default:
		panic(fmt.Sprintf("sweetspot: Unit.End: outcome %d: want Done, Ignored or Overloaded", o))
	}
}

func (l *Loop) endDone(began time.Duration, weight int) {
	ended := l.Clock()
	// The permit first, as that may panic, and as somebody may wait for it.
	switch {
	case weight == 1:
		l.plant.sem.Release()
	case weight > 0:
		l.plant.release(int64(weight))
	case weight == 0:
		l.plant.releaseNothing()
	default:
		panic(fmt.Sprintf("sweetspot: Unit.End: weight %d: want 0 or more", weight))
	}
	l.plant.residence.add(began, ended)
}

// overloaded counts units that were overloaded, of that many that were, or were done, in the
// same turn.
func (l *Loop) overloaded(units, of int) {
	if l.plant.overloaded(units, of) {
		l.gov.hasten()
	}
}
