package main

import "time"

// A clock is virtual time: it runs what was asked for, in the order of the times
// asked, and at equal times in the order of asking.
type clock struct {
	now    time.Duration
	queue  heap[alarm]
	number int  // of alarms set
	halted bool // run ends after the function that set it
}

// An alarm is a function to call at a time.
type alarm struct {
	at     time.Duration
	number int
	f      func()
}

func (a alarm) Before(b alarm) bool { return a.at < b.at || a.at == b.at && a.number < b.number }

func (c *clock) after(d time.Duration, f func()) {
	c.number++
	c.queue.push(alarm{c.now + max(d, 0), c.number, f})
}

// run lets time pass up to end, or until it is halted or nothing is left to do.
func (c *clock) run(end time.Duration) {
	for len(c.queue) > 0 && !c.halted && c.queue[0].at <= end {
		a := c.queue.pop()
		c.now = a.at
		a.f()
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
