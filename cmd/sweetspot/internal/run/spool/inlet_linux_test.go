package spool_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// A job ends though somebody writes to its stderr without a pause.
func TestEndOfFilledInlet(t *testing.T) {
	ended := make(chan error)
	go func() { ended <- spool.EndFilledInlet() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it is read for ever")
	}
}
