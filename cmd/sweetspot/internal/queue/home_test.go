package queue_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// TestDialOfServerThatEnds: where there is no connection there is none to close either,
// which a client would do.
func TestDialOfServerThatEnds(t *testing.T) {
	c, err := queue.DialEnded(t.TempDir())
	if err == nil || c != nil {
		t.Errorf("Dial of a server that has ended: %v, %v; want no connection and an error", c, err)
	}
}
