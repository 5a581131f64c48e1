package sqllimit_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// nested queries once for each row of another query.
func nested(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "1ms")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := db.QueryRowContext(ctx, "1ms").Scan(&n); err != nil {
			return err
		}
	}
	return rows.Err()
}

func TestDoCovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 2)
		db, s := open(t, l)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				ok(l.Do(t.Context(), func(ctx context.Context) error {
					if got := l.Stats().InFlight; got > 2 {
						t.Errorf("%d permits out", got)
					}
					// Two more levels.
					return l.Do(ctx, func(ctx context.Context) error {
						return l.Do(ctx, func(ctx context.Context) error { return nested(ctx, db) })
					})
				}))
			})
		}
		wg.Wait()
		if got := s.takePeak(); got != 4 {
			t.Errorf("%d connections at work under 2 permits of two each", got)
		}
		if got := l.Stats().Completed; got != 10 {
			t.Errorf("%d units, want 10: one for each Do", got)
		}
	})
}

// TestLimiterCovers: what runs under a permit of the Limiter, by whatever means,
// uses connections under that one.
func TestLimiterCovers(t *testing.T) {
	for name, run := range map[string]func(context.Context, *sweetspot.Limiter, func(context.Context) error) error{
		"Do": func(ctx context.Context, l *sweetspot.Limiter, f func(context.Context) error) error {
			return l.Do(ctx, f)
		},
		"ForEach": func(ctx context.Context, l *sweetspot.Limiter, f func(context.Context) error) error {
			return sweetspot.ForEach(ctx, []int{1, 2, 3, 4}, func(ctx context.Context, _ int) error { return f(ctx) }, l)
		},
		"Map": func(ctx context.Context, l *sweetspot.Limiter, f func(context.Context) error) error {
			_, err := sweetspot.Map(ctx, []int{1, 2, 3, 4}, func(ctx context.Context, _ int) (int, error) { return 0, f(ctx) }, l)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := setTo(sweetspot.New(), 1)
				db, s := open(t, l)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				var kept context.Context
				if err := run(ctx, l, func(ctx context.Context) error {
					kept = context.WithoutCancel(ctx)
					if _, err := db.ExecContext(ctx, "1ms"); err != nil {
						return err
					}
					return nested(ctx, db)
				}); err != nil {
					t.Errorf("got %v: it waits for itself", err)
				}
				if got := s.takePeak(); got != 2 {
					t.Errorf("%d connections at work, want the two that one permit covers", got)
				}
				before := l.Stats().Completed
				must(db.ExecContext(kept, ""))
				if got := l.Stats().Completed - before; got != 1 {
					t.Errorf("%d units of a use after the end, want 1: nothing covers it", got)
				}
			})
		})
	}
}

// TestWithoutDo: what Do is for. Those who hold a permit and wait for a second
// one wait until their time is up.
func TestWithoutDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 1)
		db, _ := open(t, l)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := nested(ctx, db); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the end of the minute", err)
		}
	})
}

// TestDoIsOver: a context that outlives its Do covers nothing, nor does it cover
// another Limiter.
func TestDoIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, other := setTo(sweetspot.New(), 1), setTo(sweetspot.New(), 1)
		db, _ := open(t, l)
		db2, _ := open(t, other)
		var kept context.Context
		ok(l.Do(t.Context(), func(ctx context.Context) error {
			kept = ctx
			must(db.ExecContext(ctx, ""))
			must(db2.ExecContext(ctx, ""))
			return nil
		}))
		must(db.ExecContext(kept, ""))
		if a, b := l.Stats().Completed, other.Stats().Completed; a != 2 || b != 1 {
			t.Errorf("%d and %d units, want 2 and 1", a, b)
		}
		failed := errors.New("failed")
		if err := l.Do(t.Context(), func(context.Context) error { return failed }); err != failed {
			t.Errorf("got %v, want the error of f", err)
		}
	})
}

// setTo returns l with its limit fixed at n.
func setTo(l *sweetspot.Limiter, n int) *sweetspot.Limiter {
	l.SetLimit(n)
	return l
}
