package queue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// The service of a server that loses its connection to it, such as for being slow, answers again.
func TestServiceIsCutOff(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	q := serving(t, h)
	if err := errors.Join(q.Push(t.Context(), "a"), h.CutService()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := q.Push(ctx, "b"); err != nil {
		t.Errorf("Push: %v", err)
	}
	if n, _, err := q.Left(ctx); n != 2 || err != nil {
		t.Errorf("%d jobs, %v; want 2", n, err)
	}
}
