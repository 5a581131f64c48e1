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

// TestLimiterAllocates: a limiter of a call is its loop, its semaphore, the law and the law for
// overloads, a timer and its function.
func TestLimiterAllocates(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		l := NewLimiter(1, 0)
		l.Cancel()
		l.Retire()
	})
	if n > 6 {
		t.Errorf("%v allocations, want 6", n)
	}
}
