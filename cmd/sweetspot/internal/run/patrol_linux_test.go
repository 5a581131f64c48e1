package run_test

import (
	"testing"
	"testing/synctest"
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

// Nor does it forget the timeouts meanwhile.
func TestPatrolThatCannotSpeakEndsJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		says, read := make(chan struct{}), make(chan struct{})
		defer close(read)
		p, err := run.NewPatrol(func(string) {
			close(says)
			<-read
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		<-says
		time.Sleep(time.Second)
		synctest.Wait()
		if why := p.Leave(); why != "timed out" {
			t.Errorf("the job was ended for %q, want its timeout", why)
		}
	})
}
