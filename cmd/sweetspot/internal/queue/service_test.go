package queue_test

import (
	"context"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// The service of a server that loses its connection to it, such as for being slow, answers again.
func TestServiceIsCutOff(t *testing.T) {
	t.Parallel()
	h := queue.OpenHome(t.TempDir())
	if err := h.Serve(nil, nil); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	q, done, err := connectTo(t, h, "q")
	defer done()
	if err == nil {
		err = q.Push(t.Context(), "a")
	}
	if err == nil {
		err = h.CutService()
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := q.Push(ctx, "b"); err != nil {
		t.Errorf("Push: %v", err)
	}
	if n, _, err := q.Left(ctx); n != 2 || err != nil {
		t.Errorf("%d jobs, %v; want 2", n, err)
	}
}
