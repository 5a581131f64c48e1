package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A link is xet-core's proxy as a fluid: transfers share its bandwidth evenly, but
// none gets more than its connection's pipe lets through. Bandwidth that nobody uses
// is banked for up to a second.
type link struct {
	clock     *clock
	net       network
	congested bool

	bandwidth float64  // of now, bytes/s
	latency   float64  // of a connection made now, s
	classes   []*class // of connections, the slowest first
	bank      float64  // bytes
	last      time.Duration
	turn      int // of alarms: only the newest one counts
	sent      float64
	possible  float64
}

// A class is the transfers on connections with the same latency: they all get the
// same rate.
type class struct {
	latency float64
	most    float64 // rate that the pipe lets through, bytes/s
	rate    float64 // of each transfer now
	each    float64 // bytes that each has sent since the class began
	ends    heap[transfer]
}

// A transfer ends when its class has sent that much each.
type transfer struct {
	at   float64
	done func()
}

func (t transfer) Before(u transfer) bool { return t.at < u.at }

func newLink(c *clock, net network) *link {
	l := &link{clock: c, net: net}
	l.shift()
	return l
}

// shift follows the network from one phase of congestion to the next.
func (l *link) shift() {
	l.advance()
	l.bandwidth, l.latency = l.net.bandwidth, l.net.latency
	if l.net.on > 0 {
		next := l.net.off
		if l.congested = !l.congested; l.congested {
			next = l.net.on
			l.bandwidth *= l.net.left
			l.latency *= 1 + l.net.slower
		}
		l.clock.after(seconds(next), l.shift)
	}
	l.update()
}

// transfer sends bytes over a connection and calls done when the last of them is on
// its way.
func (l *link) transfer(latency, bytes float64, done func()) {
	l.advance()
	i, ok := slices.BinarySearchFunc(l.classes, latency, func(c *class, x float64) int { return cmp.Compare(x, c.latency) })
	if !ok {
		l.classes = slices.Insert(l.classes, i, &class{latency: latency, most: pipeRate(latency)})
	}
	c := l.classes[i]
	c.ends.push(transfer{c.each + bytes, done})
	l.update()
}

// advance brings what was sent up to date.
func (l *link) advance() {
	dt := (l.clock.now - l.last).Seconds()
	l.last = l.clock.now
	b := l.bandwidth
	l.possible += b * dt
	total := 0.0
	for _, c := range l.classes {
		c.each += c.rate * dt
		total += c.rate * float64(len(c.ends))
	}
	l.sent += total * dt
	l.bank = min(max(0, l.bank+(b-total)*dt), b*xetBank.Seconds())
}

// update gives out the bandwidth, and sets the alarm for when that changes.
func (l *link) update() {
	l.turn++
	b := l.bandwidth
	want, n := 0.0, 0
	for _, c := range l.classes {
		c.rate = c.most
		want += c.most * float64(len(c.ends))
		n += len(c.ends)
	}
	if n == 0 {
		return
	}
	next := math.Inf(1)
	switch {
	case want <= b:
	case l.bank > 1: // byte
		next = l.bank / (want - b)
	default:
		left := b
		for _, c := range l.classes { // the slowest first: what they leave is for the others
			if len(c.ends) == 0 {
				continue
			}
			c.rate = min(c.most, left/float64(n))
			left -= c.rate * float64(len(c.ends))
			n -= len(c.ends)
		}
	}
	for _, c := range l.classes {
		if len(c.ends) > 0 {
			next = min(next, max(0, c.ends[0].at-c.each)/c.rate)
		}
	}
	turn := l.turn
	// A nanosecond more, so that rounding does not end it just before the event.
	l.clock.after(seconds(next)+1, func() {
		if turn == l.turn {
			l.finish()
		}
	})
}

func (l *link) finish() {
	l.advance()
	var over []func()
	for _, c := range l.classes {
		for len(c.ends) > 0 && c.ends[0].at <= c.each {
			over = append(over, c.ends.pop().done)
		}
	}
	l.update()
	for _, done := range over {
		done()
	}
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
