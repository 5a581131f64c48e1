package peers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/peers"
)

const unit = 20 * time.Millisecond

// watched runs f with a Watch that has seen its first overloads a second ago.
func watched(t *testing.T, f func(t *testing.T, w *peers.Watch)) {
	synctest.Test(t, func(t *testing.T) {
		w := new(peers.Watch)
		if w.On() {
			t.Error("it watches before there is an overload")
		}
		counted := 0
		for range 1000 {
			if w.Overloaded("p0", unit) {
				counted++
			}
		}
		if counted != 10 || !w.On() {
			t.Errorf("%d of the first overloads count at once, want 10, watched %v", counted, w.On())
		}
		time.Sleep(time.Second)
		f(t, w)
	})
}

// What one peer sees does not count while others do well, however fast it is.
func TestOnePeerDoesNotCount(t *testing.T) {
	watched(t, func(t *testing.T, w *peers.Watch) {
		counted := 0
		for i := range 1000 {
			for range 100 {
				if w.Overloaded("hostile", 50*time.Microsecond) && i > 25 {
					counted++
				}
				w.Done("hostile", 50*time.Microsecond) // cheap requests do not make it look like the main client
			}
			w.Done([]string{"a", "b", "c"}[i%3], unit)
			if i%300 == 0 { // of its hundred, which spoils no witness
				w.Overloaded("a", unit)
			}
		}
		if counted > 0 {
			t.Errorf("%d of 97,000 overloads of one peer count, want none", counted)
		}
	})
}

// A client with several addresses is not believed either, also if it takes a new one now and
// then and does most of the work.
func TestSeveralAddressesOfOneDoNotCount(t *testing.T) {
	for _, addresses := range []int{2, 4, 16, 64} {
		watched(t, func(t *testing.T, w *peers.Watch) {
			counted := 0
			for i := range 3000 {
				for j := range 4 {
					if w.Overloaded(fmt.Sprint("hostile", (4*i+j)%addresses), unit) && i > 1000 {
						counted++
					}
				}
				w.Done(fmt.Sprint("p", i%10), unit)
			}
			if counted > 0 {
				t.Errorf("%d of 8,000 overloads of a client with %d addresses count, want none", counted, addresses)
			}
		})
	}
}

// Where others did well beside a hostile client, and then all are overloaded, that counts soon.
func TestOverloadOfAllCountsBesideThatOfOne(t *testing.T) {
	for _, clients := range []int{1, 3, 10, 100} {
		watched(t, func(t *testing.T, w *peers.Watch) {
			for i := range 3000 {
				w.Overloaded("hostile", unit)
				w.Done(fmt.Sprint("p", i%clients), unit)
			}
			late, counted := 0, 0
			for i := range 2000 {
				if p := fmt.Sprint("p", i%clients); i/clients%5 > 0 {
					w.Done(p, unit)
				} else if c := w.Overloaded(p, unit); i >= 400 {
					late++
					if c {
						counted++
					}
				}
			}
			if counted < late*95/100 {
				t.Errorf("%d clients: %d of %d overloads count after 400 requests", clients, counted, late)
			}
			last := 300 * clients
			for i := range last { // it passes, and then only one has it again
				w.Done(fmt.Sprint("p", i%clients), unit)
				counts := w.Overloaded("hostile", unit)
				if i == last-1 && counts {
					t.Errorf("%d clients: what one has after the overload of all still counts", clients)
				}
			}
		})
	}
}

// What several peers see counts.
func TestOverloadsOfSeveralCount(t *testing.T) {
	for name, peer := range map[string]func(x float64) int{
		"two proxies":             func(x float64) int { return int(2 * x) },
		"ten clients":             func(x float64) int { return int(10 * x) },
		"one has a half":          func(x float64) int { return int(10 * max(0, x-0.5)) },
		"a thousand clients":      func(x float64) int { return int(1000 * x) },
		"one has nearly all work": func(x float64) int { return int(10 * max(0, x-0.95)) },
	} {
		watched(t, func(t *testing.T, w *peers.Watch) {
			dice, counted, all := rand.New(rand.NewPCG(1, 2)), 0, 0
			for range 10_000 {
				peer := fmt.Sprint("p", peer(dice.Float64()))
				if dice.IntN(5) > 0 {
					w.Done(peer, unit)
					continue
				}
				all++
				if w.Overloaded(peer, unit) {
					counted++
				}
			}
			if counted < all*95/100 {
				t.Errorf("%s: %d of %d overloads count", name, counted, all)
			}
		})
	}
}

// What the only peer sees counts, a proxy beside the checks of its health.
func TestOverloadsOfTheOnlyPeerCount(t *testing.T) {
	watched(t, func(t *testing.T, w *peers.Watch) {
		for i := range 10_000 {
			w.Done("proxy", unit)
			if i%10 == 0 {
				w.Done("health", time.Millisecond)
			}
			if i%5 == 0 && !w.Overloaded("proxy", unit) {
				t.Fatal("an overload of nearly the only peer does not count")
			}
		}
	})
}

// Where nothing of the peer that does nearly all the work succeeds, it counts as well.
func TestOverloadsOfTheOnlyPeerThatFailsCount(t *testing.T) {
	watched(t, func(t *testing.T, w *peers.Watch) {
		for i := range 10_000 {
			if !w.Overloaded("proxy", unit) {
				t.Fatalf("overload %d of nearly the only peer does not count", i)
			}
			w.Done("health", time.Millisecond)
		}
	})
}

// After a minute without overloads there is nothing to do for requests.
func TestCalm(t *testing.T) {
	watched(t, func(t *testing.T, w *peers.Watch) {
		w.Overloaded("a", unit)
		time.Sleep(59 * time.Second)
		if w.Done("b", unit); !w.On() {
			t.Error("off before a minute")
		}
		time.Sleep(2 * time.Second)
		if w.Done("b", unit); w.On() {
			t.Error("on after a minute")
		}
		if !w.Overloaded("b", unit) || !w.On() {
			t.Error("the next overload does not count, or does not turn it on")
		}
	})
}

func TestOf(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:80": "192.0.2.7", "@": "@", "": "", "/run/x.sock": "/run/x.sock",
		"[2001:db8:1:2:3:4:5:6]:443": "2001:db8:1::/56", "[2001:db8:1:ff::9]:1": "2001:db8:1::/56", "[fe80::1%eth0]:1": "fe80::/56",
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1::/56", "fe80::1%eth0": "fe80::/56",
	} {
		if got := peers.Of(address); got != want {
			t.Errorf("%q is of peer %q, want %q", address, got, want)
		}
	}
}
