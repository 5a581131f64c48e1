package loop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// TestChunks: Stats counts the units of chunks, and the controller one turn for each chunk,
// whose weight is the number of units done.
func TestChunks(t *testing.T) {
	alone(t)
	for name, c := range map[string]struct {
		chunk               loop.Chunk
		completed, overload int64 // of two such chunks, as the controller counts
	}{
		"done":                {loop.Chunk{Done: 10}, 2, 0},
		"one":                 {loop.Chunk{Done: 1}, 2, 0},
		"ignored":             {loop.Chunk{Ignored: 10}, 0, 0},
		"overloaded":          {loop.Chunk{Overloaded: 10}, 0, 2},
		"none done":           {loop.Chunk{Ignored: 7, Overloaded: 3}, 0, 2},
		"half overloaded":     {loop.Chunk{Done: 5, Overloaded: 5}, 2, 1},
		"a tenth overloaded":  {loop.Chunk{Done: 9, Overloaded: 1}, 2, 0},
		"half ignored":        {loop.Chunk{Done: 5, Ignored: 5}, 2, 0},
		"some of all":         {loop.Chunk{Done: 4, Ignored: 2, Overloaded: 4}, 2, 1},
		"nothing but a chunk": {loop.Chunk{}, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			law := &recorder{law: keep}
			l := governed(law, loop.Config{Start: 2})
			take(t, l, 2) // one of them keeps it awake
			c.chunk.Began = l.Clock()
			pause(time.Second)
			c.chunk.Ended = l.Clock()
			if !l.Finish(c.chunk, true) {
				t.Fatalf("%s: the permit is not kept", name)
			}
			if l.Finish(c.chunk, false) {
				t.Fatalf("%s: the permit is kept", name)
			}
			pause(20 * time.Millisecond)
			s := l.Stats()
			want := [3]int64{2 * int64(c.chunk.Done), 2 * int64(c.chunk.Ignored), 2 * int64(c.chunk.Overloaded)}
			if got := [3]int64{s.Completed, s.Ignored, s.Overloads}; got != want || s.InFlight != 1 {
				t.Errorf("%s: %v done, ignored and overloaded, want %v; %+v", name, got, want, s)
			}
			if r := law.last(); r.Completed != c.completed || r.Overloads != c.overload || r.Units != float64(want[0]) || r.Timed != c.completed {
				t.Errorf("%s: the controller is given %+v, want %d completed, %d overloads", name, r, c.completed, c.overload)
			}
			if got := l.Learnt().Completed; got != want[0] {
				t.Errorf("%s: %d units completed, want %d", name, got, want[0])
			}
			l.Release()
			rests(t, l)
		})
	}
}

// TestIgnoredBesideOverloadedInPart: a chunk that was overloaded in part is done, and hides
// no ignored turn.
func TestIgnoredBesideOverloadedInPart(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		law := &recorder{law: keep}
		l := governed(law, loop.Config{Start: 1})
		take(t, l, 1)
		for range 10 {
			l.Finish(loop.Chunk{Done: 5, Overloaded: 5}, true)
		}
		for range 3 {
			l.Finish(loop.Chunk{Ignored: 5}, true)
			l.Finish(loop.Chunk{Overloaded: 5}, true)
		}
		pause(20 * time.Millisecond)
		if r := law.last(); r.Completed != 10 || r.Overloads != 5+3 || r.Ignored != 3 {
			t.Errorf("%d completed, %d overloads, %d ignored, want 10, 8, 3", r.Completed, r.Overloads, r.Ignored)
		}
		l.Release()
		rests(t, l)
	})
}

// TestFailedChunksAreTurns: a caller beside a parallel call whose items fail is refused as
// often as beside one whose items are done: its share is of turns, not of items.
func TestFailedChunksAreTurns(t *testing.T) {
	for name, chunk := range map[string]loop.Chunk{
		"done":       {Done: 1000},
		"ignored":    {Ignored: 1000},
		"overloaded": {Overloaded: 1000},
		"mixed":      {Done: 400, Ignored: 600},
	} {
		synctest.Test(t, func(t *testing.T) {
			law := &recorder{law: keep}
			l := governed(law, loop.Config{Start: 1})
			take(t, l, 1)
			for range 200 {
				pause(10 * time.Millisecond)
				l.TryAcquire() // in vain
				l.Finish(chunk, true)
			}
			if r := law.last(); r.Bound < 0.9*r.At.Seconds() {
				t.Errorf("%s: bound for %v s of %v with half of all refused", name, r.Bound, r.At)
			}
			l.Release()
			rests(t, l)
		})
	}
}
