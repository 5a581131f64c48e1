package run_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// unheardPatrol returns a patrol whose first word nobody reads until the test is over, and a
// channel that is closed when it speaks.
func unheardPatrol(t *testing.T) (run.Patrol, <-chan struct{}) {
	says, read := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(read) })
	p, err := run.NewPatrol(func(string) {
		close(says)
		<-read
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, says
}

// A patrol that cannot say what it has to, since nobody reads, holds up neither the end of a
// job nor that of the run.
func TestPatrolThatCannotSpeak(t *testing.T) {
	p, says := unheardPatrol(t)
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
		p, says := unheardPatrol(t)
		defer p.Close()
		<-says
		time.Sleep(time.Second)
		synctest.Wait()
		if why := p.Leave(); why != "timed out" {
			t.Errorf("the job was ended for %q, want its timeout", why)
		}
	})
}

// Nor do those wait who stop the jobs while it ends.
func TestPatrolThatCannotSpeakIsNotLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, says := unheardPatrol(t)
		<-says
		overdue, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			p.End(overdue)
		}()
		synctest.Wait()
		if p.Locked() {
			t.Error("its end holds the lock while nobody reads")
		}
		close(overdue)
		<-ended
	})
}
