package main

import (
	"container/heap"
	"time"
)

// A clock is virtual time: it runs what was asked for, in the order of the times
// asked, and at equal times in the order of asking.
type clock struct {
	now    time.Duration
	queue  alarms
	number int // of alarms set
	halted bool
}

// An alarm is a function to call at a time.
type alarm struct {
	at     time.Duration
	number int
	f      func()
}

// after calls f in d.
func (c *clock) after(d time.Duration, f func()) {
	c.number++
	heap.Push(&c.queue, alarm{c.now + max(d, 0), c.number, f})
}

// run lets time pass up to end, or until halt or nothing is left to do.
func (c *clock) run(end time.Duration) {
	for len(c.queue) > 0 && !c.halted && c.queue[0].at <= end {
		a := heap.Pop(&c.queue).(alarm)
		c.now = a.at
		a.f()
	}
}

// halt ends run after the function that calls it.
func (c *clock) halt() { c.halted = true }

// seconds returns s as a Duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// alarms is a heap, the next one first.
type alarms []alarm

func (a alarms) Len() int { return len(a) }
func (a alarms) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].number < a[j].number
}
func (a alarms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)   { *a = append(*a, x.(alarm)) }
func (a *alarms) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	(*a)[last] = alarm{}
	*a = (*a)[:last]
	return x
}
