package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestNestedOverloadsAreOfOneTurn: however many chunks are a part of a unit, its turn is one, and
// overloaded to the share of their items.
func TestNestedOverloadsAreOfOneTurn(t *testing.T) {
	alone(t)
	config := loop.Config{Start: 2, Classify: func(err error) loop.Outcome {
		switch err {
		case nil:
			return loop.Done
		case errBad:
			return loop.Overloaded
		}
		return loop.Ignored
	}}
	for name, c := range map[string]struct {
		chunk                        loop.Chunk
		err                          error
		completed, overload, ignored int64 // of 100 such units, as the controller counts
	}{
		"done":             {loop.Chunk{Done: 100}, nil, 100, 0, 0},
		"in part":          {loop.Chunk{Done: 75, Ignored: 5, Overloaded: 25}, nil, 100, 25, 0},
		"all":              {loop.Chunk{Overloaded: 100}, nil, 100, 100, 0},
		"in part, too":     {loop.Chunk{Done: 75, Overloaded: 25}, errBad, 0, 100, 0},
		"in part, ignored": {loop.Chunk{Done: 50, Overloaded: 50}, context.Canceled, 0, 50, 50},
	} {
		synctest.Test(t, func(t *testing.T) {
			law := &recorder{law: keep}
			l := governed(law, config)
			take(t, l, 1) // keeps it awake
			for range 100 {
				l.Do(t.Context(), func(ctx context.Context) error {
					for range 1000 {
						l.FinishNested(ctx, c.chunk)
					}
					return c.err
				})
			}
			pause(20 * time.Millisecond)
			r := law.last()
			if r.Completed != c.completed || r.Overloads != c.overload || r.Ignored != c.ignored {
				t.Errorf("%s: the controller is given %d completed, %d overloads, %d ignored, want %d, %d, %d",
					name, r.Completed, r.Overloads, r.Ignored, c.completed, c.overload, c.ignored)
			}
			if s := l.Stats(); s.Completed+s.Ignored+s.Overloads != 100 {
				t.Errorf("%s: %+v, want 100 units", name, s)
			}
			l.Release()
			rests(t, l)
		})
	}
}
