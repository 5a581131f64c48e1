package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// Retries as dialogue's client makes them by default.
const (
	dialogueRetries = 4
	dialogueBackoff = 250 * time.Millisecond // times a random number up to 1, doubled each time
)

// A dialogueClient sends requests to the hosts that there are, each behind a limiter
// of its own.
type dialogueClient struct {
	clock   *clock
	dice    *rand.Rand
	hosts   []*host
	inTurn  bool // hosts are chosen in turn, or else by their load
	errors  bool // a 500 is an overload
	chosen  int
	known   int // hosts that there were when one was last chosen
	retries func(code int) bool
}

// A host is a node as one client sees it.
type host struct {
	node *node
	lim  *limiter // nil: no limit
	*record
}

// A record is what a client knows of a host. It begins a new one of all its hosts when one
// is added.
type record struct {
	load     int // requests under way or waiting
	failures failures
}

// send sends a request, again where that is wanted after some have failed, and calls done with
// the last answer.
func (c *dialogueClient) send(endpoint, failed int, done func(code int)) {
	h := c.choose()
	known := h.record
	known.load++
	run := func(u unit) {
		h.node.request(endpoint, func(code int) {
			known.load--
			known.failures.add(code, c.clock.now)
			if h.lim != nil {
				u.end(c.outcome(code))
			}
			if failed == dialogueRetries || !c.retries(code) {
				done(code)
				return
			}
			pause := c.dice.Float64() * dialogueBackoff.Seconds() * math.Exp2(float64(failed))
			c.clock.after(seconds(pause), func() { c.send(endpoint, failed+1, done) })
		})
	}
	if h.lim == nil {
		run(unit{})
		return
	}
	h.lim.acquire(run)
}

// choose returns the next host in turn, or the one with the least load and failures;
// of equal ones any.
func (c *dialogueClient) choose() *host {
	there := slices.DeleteFunc(slices.Clone(c.hosts), func(h *host) bool { return c.clock.now < seconds(h.node.phases[0].From) })
	if len(there) != c.known {
		c.known = len(there)
		for _, h := range c.hosts {
			h.record = new(record)
		}
	}
	if c.inTurn {
		c.chosen++
		return there[c.chosen%len(there)]
	}
	c.dice.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
	return slices.MinFunc(there, func(a, b *host) int { return a.score(c.clock.now) - b.score(c.clock.now) })
}

func (h *host) score(now time.Duration) int {
	return h.load + int(math.Round(h.failures.of(now)))
}

// outcome is what httplimit's Transport makes of a code, but a 500 can count as an
// overload.
func (c *dialogueClient) outcome(code int) sweetspot.Outcome {
	switch {
	case code == 500 && c.errors, code == 429 || code == 503 || code == 504:
		return sweetspot.Overloaded
	case code >= 500:
		return sweetspot.Ignored
	}
	return sweetspot.Done
}

// Failures are what dialogue remembers of a host: it weighs as so many requests in
// flight, half of it after 30 s.
type failures struct {
	sum   float64
	decay time.Duration // the newest
}

const (
	failureWeight = 10
	failureHalf   = 30 * time.Second
	failureDecays = 10 // in that time
)

func (f *failures) add(code int, now time.Duration) {
	f.of(now)
	switch {
	case code >= 500:
		f.sum += failureWeight
	case code >= 400:
		f.sum += failureWeight / 100.
	}
}

func (f *failures) of(now time.Duration) float64 {
	const step = failureHalf / failureDecays
	if n := (now - f.decay) / step; n > 0 {
		f.decay += n * step
		f.sum *= math.Pow(0.5, float64(n)/failureDecays)
	}
	return f.sum
}
