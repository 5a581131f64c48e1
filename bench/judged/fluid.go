package main

import (
	"math"
	"time"
)

// A fluid is what all its users share evenly, such as a line or a server with threads. But none
// gets more than its class lets through.
type fluid struct {
	clock    *clock
	rate     float64  // of now, per second
	banks    float64  // s for which what nobody uses is kept, to be made up for
	classes  []*class // of users, the slowest first
	bank     float64
	last     time.Duration
	turn     int // of alarms: only the newest one counts
	used     float64
	possible float64
}

// A class is users that all get the same rate.
type class struct {
	latency float64 // of their connections, s, where they have such
	most    float64 // that each can get, per second
	rate    float64 // of each now
	each    float64 // what each has got since the class began
	active  int
	ends    heap[*use]
}

// A use ends when its class has got that much each.
type use struct {
	class *class
	at    float64
	gone  bool // its user has given up
	done  func()
}

func (u *use) Before(v *use) bool { return u.at < v.at }

// begin begins a use of an amount, and calls done at the end.
func (f *fluid) begin(c *class, amount float64, done func()) *use {
	f.advance()
	u := &use{class: c, at: c.each + amount, done: done}
	c.ends.push(u)
	c.active++
	f.update()
	return u
}

// drop ends a use that nobody waits for any more.
func (f *fluid) drop(u *use) {
	f.advance()
	u.gone = true
	u.class.active--
	f.update()
}

// advance brings what was used up to date.
func (f *fluid) advance() {
	dt := (f.clock.now - f.last).Seconds()
	f.last = f.clock.now
	f.possible += f.rate * dt
	total := 0.0
	for _, c := range f.classes {
		c.each += c.rate * dt
		total += c.rate * float64(c.active)
	}
	f.used += total * dt
	f.bank = min(max(0, f.bank+(f.rate-total)*dt), f.rate*f.banks)
}

// update shares the rate out, and sets the alarm for when that changes.
func (f *fluid) update() {
	f.turn++
	want, n := 0.0, 0
	for _, c := range f.classes {
		for len(c.ends) > 0 && c.ends[0].gone {
			c.ends.pop()
		}
		c.rate = c.most
		want += c.most * float64(c.active)
		n += c.active
	}
	if n == 0 {
		return
	}
	next := math.Inf(1)
	switch {
	case want <= f.rate:
	case f.bank > 1: // less is not worth an alarm
		next = f.bank / (want - f.rate)
	default:
		left := f.rate
		for _, c := range f.classes { // the slowest first: what they leave is for the others
			if c.active == 0 {
				continue
			}
			c.rate = min(c.most, left/float64(n))
			left -= c.rate * float64(c.active)
			n -= c.active
		}
	}
	for _, c := range f.classes {
		if c.active > 0 {
			next = min(next, max(0, c.ends[0].at-c.each)/c.rate)
		}
	}
	turn := f.turn
	// A nanosecond more, so that rounding does not end it just before the event. So who comes
	// just then finds it there, as at a real server, which is never early.
	f.clock.after(seconds(next)+1, func() {
		if turn == f.turn {
			f.finish()
		}
	})
}

func (f *fluid) finish() {
	f.advance()
	var over []func()
	for _, c := range f.classes {
		for len(c.ends) > 0 && (c.ends[0].gone || c.ends[0].at <= c.each) {
			if u := c.ends.pop(); !u.gone {
				c.active--
				over = append(over, u.done)
			}
		}
	}
	f.update()
	for _, done := range over {
		done()
	}
}
