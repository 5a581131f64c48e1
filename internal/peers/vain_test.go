package peers_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/peers"
)

// What ends in vain counts where most requests of most peers do, and only there.
func TestInVain(t *testing.T) {
	for name, c := range map[string]struct {
		peers, vain int  // so many, of which so many have nothing but requests in vain
		twice       bool // the others have each second one in vain
		counts      bool
	}{
		"all":               {10, 10, false, true},
		"the only one":      {1, 1, false, true},
		"all but one in 20": {20, 19, false, true},
		"all but one in 5":  {5, 4, false, false},
		"each second":       {10, 0, true, false},
		"one beside that":   {10, 1, true, false},
		"160 of 200":        {200, 160, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := new(peers.Watch)
			late, counted := 0, 0
			for i := range 4000 {
				time.Sleep(4 * time.Millisecond)
				peer := i % c.peers
				if succeeds := peer >= c.vain && (!c.twice || i/c.peers%2 == 0); succeeds {
					w.Done(fmt.Sprint("p", peer), unit)
					continue
				}
				counts := w.InVain(fmt.Sprint("p", peer), unit)
				if i < 2000 {
					continue
				}
				if late++; counts {
					counted++
				}
			}
			if c.counts != (counted > late*95/100) || !c.counts && counted > 0 {
				t.Errorf("%s: %d of %d in vain count", name, counted, late)
			}
		})
	}
}

// Where all clients are one peer, as behind a proxy, requests whose deadline is far shorter than
// what requests take do not count, however many they are.
func TestInVainOfShortRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(peers.Watch)
		counted := 0
		for i := range 5000 {
			time.Sleep(time.Millisecond)
			if i%5 == 0 {
				w.Done("proxy", unit)
			} else if w.InVain("proxy", unit/20) && i > 1000 {
				counted++
			}
		}
		if counted > 0 {
			t.Errorf("%d count, want none", counted)
		}
	})
}

// After a minute of calm a Watch does not know for how long the first requests were under way, as
// nobody asked it. If one client hangs up many at once, they do not count.
func TestInVainAfterCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(peers.Watch)
		w.Overloaded("a", unit)
		w.Done("b", unit)
		time.Sleep(2 * time.Minute)
		if w.Done("b", unit); w.On() {
			t.Fatal("on after a minute")
		}
		counted := 0
		for range 64 {
			if w.InVain("hostile", 0) {
				counted++
			}
		}
		if counted > 0 || !w.On() {
			t.Errorf("%d of 64 count, watched %v; want none, and those to come to be timed", counted, w.On())
		}
	})
}
