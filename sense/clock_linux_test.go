package sense_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/sense"
)

// TestTick: kernels are built with a timer of 100 to 1000 ticks a second.
func TestTick(t *testing.T) {
	if tick := sense.NewProcess().Sense(0).Tick; tick < 0.0009 || tick > 0.0101 {
		t.Errorf("the tick of the timer takes %v s, want 1 to 10 ms", tick)
	}
}
