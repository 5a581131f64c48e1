package call

import "testing"

// TestHelpersAllocate: a call allocates room for many helpers at a time.
func TestHelpersAllocate(t *testing.T) {
	for helpers, most := range map[int]float64{3: 2, 15: 6, 63: 10} {
		n := testing.AllocsPerRun(100, func() {
			c := new(Call)
			c.accompany()
			for range helpers {
				c.join()
			}
		})
		if n--; n > most { // the Call itself
			t.Errorf("%d helpers: %v allocations, want %v", helpers, n, most)
		}
	}
}
