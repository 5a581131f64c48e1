package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// A link is xet-core's proxy as a fluid of bytes: transfers share its bandwidth, but none gets
// more than its connection's pipe lets through. Bandwidth that nobody uses is banked for up to
// a second.
type link struct {
	fluid
	net       network
	congested bool
	latency   float64 // of a connection made now, s
}

func newLink(c *clock, net network) *link {
	l := &link{fluid: fluid{clock: c, banks: xetBank.Seconds()}, net: net}
	l.shift()
	return l
}

// shift follows the network from one phase of congestion to the next.
func (l *link) shift() {
	l.advance()
	l.rate, l.latency = l.net.bandwidth, l.net.latency
	if l.net.on > 0 {
		next := l.net.off
		if l.congested = !l.congested; l.congested {
			next = l.net.on
			l.rate *= l.net.left
			l.latency *= 1 + l.net.slower
		}
		l.clock.after(seconds(next), l.shift)
	}
	l.update()
}

// transfer sends bytes over a connection and calls done when the last of them is on
// its way.
func (l *link) transfer(latency, bytes float64, done func()) {
	i, ok := slices.BinarySearchFunc(l.classes, latency, func(c *class, x float64) int { return cmp.Compare(x, c.latency) })
	if !ok {
		l.classes = slices.Insert(l.classes, i, &class{latency: latency, most: pipeRate(latency)})
	}
	l.begin(l.classes[i], bytes, done)
}

// pipeRate returns what a connection with a latency lets through, bytes/s: xetPipe
// chunks are on the way at most, they arrive in order, and each takes the latency and
// its jitter.
func pipeRate(latency float64) float64 {
	const chunks = 20_000 // good for 1 %
	dice := rand.New(rand.NewPCG(1, 18))
	var arrived [xetPipe]float64
	now := 0.0
	for i := range chunks {
		d := max(0, latency+xetJitter*(2*dice.Float64()-1))
		now = max(now, arrived[i%xetPipe]+d)
		arrived[i%xetPipe] = now
	}
	return chunks * xetChunk / now
}
