package sense_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/sense"
)

// TestAsleep: goroutines that wait for a channel are asleep, those that compute are not.
func TestAsleep(t *testing.T) {
	const n = 40
	p := sense.NewProcess()
	quit := make(chan struct{})
	var over atomic.Bool
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(quit)
	defer over.Store(true)
	for range n {
		wg.Go(func() { <-quit })
	}
	waiting := 0.0
	for began := time.Now(); waiting < 0.5 && time.Since(began) < time.Minute; time.Sleep(2 * time.Millisecond) {
		waiting = max(waiting, p.Sense(n).Asleep)
	}
	if waiting < 0.5 || waiting > 1 {
		t.Errorf("of %d goroutines that wait %v are asleep, want most", n, waiting)
	}
	if got := p.Sense(0).Asleep; got != 0 {
		t.Errorf("of no goroutine %v are asleep", got)
	}
	for range n {
		wg.Go(func() {
			for !over.Load() {
			}
		})
	}
	least := 1.0
	for began := time.Now(); least > 0.5 && time.Since(began) < time.Minute; time.Sleep(2 * time.Millisecond) {
		least = min(least, p.Sense(n).Asleep)
	}
	if least > 0.5 {
		t.Errorf("of %d goroutines that compute %v are asleep", n, least)
	}
}
