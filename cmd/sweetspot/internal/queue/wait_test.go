package queue_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// wait misses the results of those jobs that must have one, and of no others: once they may have
// gone for another reason, only those of later jobs.
func TestMissing(t *testing.T) {
	t.Parallel()
	const second = "the results of 1 job of q are gone, such as that of job 2:"
	const third = "the results of 1 job of q are gone, such as that of job 3:"
	for _, test := range []struct {
		name   string
		before func(*testing.T, queue.Queue) error // job 2 has no result then
		missed string                              // what wait says of it
		later  string                              // and once job 3 has none either
	}{
		{"lost", lose, second, "the results of 2 jobs of q are gone, such as that of job 2:"},
		{"kept for a time", func(t *testing.T, q queue.Queue) error {
			return errors.Join(q.Keep(t.Context(), time.Hour), lose(t, q))
		}, "", ""},
		{"kept for a time, and then for ever", func(t *testing.T, q queue.Queue) error {
			return errors.Join(q.Keep(t.Context(), time.Hour), lose(t, q), q.Keep(t.Context(), 0))
		}, "", third},
		{"a loss that is known", func(t *testing.T, q queue.Queue) error {
			return errors.Join(lose(t, q), q.AcceptLoss(t.Context()))
		}, "", third},
		{"for ever as before", func(t *testing.T, q queue.Queue) error {
			return errors.Join(lose(t, q), q.Keep(t.Context(), 0))
		}, second, "the results of 2 jobs of q are gone, such as that of job 2:"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			serve(t, t.TempDir(), func(q queue.Queue) {
				err := q.Push(t.Context(), "a")
				if err == nil {
					err = errors.Join(q.Record(t.Context(), 1), q.Acknowledge(t.Context()), test.before(t, q))
				}
				if err != nil {
					t.Fatal(err)
				}
				misses(t, q, test.missed)
				if err := lose(t, q); err != nil {
					t.Fatal(err)
				}
				misses(t, q, test.later)
			})
		})
	}
}

// lose pushes a job that goes without a result.
func lose(t *testing.T, q queue.Queue) error {
	return errors.Join(q.Push(t.Context(), t.Name()+time.Now().String()), q.Acknowledge(t.Context()))
}

// misses wants wait to say so, twice.
func misses(t *testing.T, q queue.Queue, want string) {
	t.Helper()
	for range 2 {
		if err := q.Missing(t.Context()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("wait says %v, want %q", err, want)
		}
	}
}
