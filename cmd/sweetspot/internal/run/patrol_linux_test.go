package run_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A patrol that cannot say what it has to, since nobody reads, holds up neither the end of a
// job nor that of the run.
func TestPatrolThatCannotSpeak(t *testing.T) {
	says, read := make(chan struct{}), make(chan struct{})
	defer close(read)
	p, err := run.NewPatrol(func(string) {
		close(says)
		<-read
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		<-says
		p.Leave()
		p.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("it holds up the run")
	}
}
