package main

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A gate lets requests through to the server, one after the other: it calls start
// with what ends the request, or refuses it.
type gate interface {
	enter(start func(end func(o sweetspot.Outcome)))
	limit() int
}

// A tripwireResult is how the requests of a run fared.
type tripwireResult struct {
	success float64 // of those sent
	mean    float64 // time of those that succeeded or ran out of time, s
	score   float64 // Tripwire's: the success over the root of the mean time
	limit   float64 // mean
}

func playTripwire(sc *tripwireScenario, seed uint64, admit func(*clock) gate) tripwireResult {
	c := new(clock)
	server := newThreads(c, sc.Threads)
	g := admit(c)
	dice := rand.New(rand.NewPCG(seed, 30))
	sent, good := 0, 0
	var took []float64
	send := func(d time.Duration) {
		sent++
		began := c.now
		g.enter(func(end func(o sweetspot.Outcome)) {
			var w *use
			open := true
			w = server.begin(server.classes[0], d.Seconds(), func() {
				open = false
				good++
				took = append(took, (c.now - began).Seconds())
				end(sweetspot.Done)
			})
			if sc.Timeout == 0 {
				return
			}
			c.after(seconds(sc.Timeout), func() {
				if open {
					open = false
					server.drop(w)
					took = append(took, (c.now - began).Seconds())
					end(sweetspot.Overloaded)
				}
			})
		})
	}
	var from time.Duration
	for _, s := range sc.Stages {
		every, length := seconds(1/s.Rate), seconds(s.Length)
		for at := every; at <= length; at += every {
			c.after(from+at, func() { send(pick(s.Work, dice)) })
		}
		from += length
	}
	var limits float64
	const looks = 200
	for i := range looks {
		c.after(from*time.Duration(i)/looks, func() { limits += float64(g.limit()) / looks })
	}
	c.run(from)

	r := tripwireResult{success: float64(good) / float64(sent), limit: limits}
	if len(took) > 0 {
		r.mean = meanOf(took, func(x float64) float64 { return x })
		r.score = r.success / math.Sqrt(r.mean)
	}
	return r
}

func pick(ws []weighted, dice *rand.Rand) time.Duration {
	sum := 0
	for _, w := range ws {
		sum += w.Weight
	}
	n := dice.IntN(sum)
	for _, w := range ws {
		if n -= w.Weight; n < 0 {
			return seconds(w.Time)
		}
	}
	panic("unreachable")
}

// newThreads returns Tripwire's server: each of its threads works on a request for a
// hundredth of its time and then takes the next in turn, so all that are there get the
// same share of its seconds of work.
func newThreads(c *clock, n int) *fluid {
	return &fluid{clock: c, rate: float64(n), classes: []*class{{most: 1}}}
}

// A door is a limiter that lets a part of its limit wait, and refuses the others.
type door struct {
	lim   *limiter
	queue float64
}

// doorQueue is the part that may wait of our limit: as in package sim, enough for a law
// to see that the limit holds somebody back.
const doorQueue = 0.25

func (d *door) limit() int { return d.lim.limit }

func (d *door) enter(start func(func(sweetspot.Outcome))) {
	room := 0.0
	if d.queue > 0 {
		room = max(1, d.queue*float64(d.lim.limit))
	}
	if d.lim.inFlight < d.lim.limit || float64(len(d.lim.queue)) < room {
		d.lim.acquire(func(u unit) { start(u.end) })
	}
}
