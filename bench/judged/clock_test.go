package main

import (
	"slices"
	"testing"
	"time"
)

func TestClockKeepsOrder(t *testing.T) {
	var c clock
	var got []int
	note := func(n int) func() { return func() { got = append(got, n) } }
	c.after(2*time.Second, note(4))
	c.after(time.Second, func() {
		note(1)()
		c.after(0, note(3)) // after what was asked for before
	})
	c.after(time.Second, note(2))
	c.after(3*time.Second, note(5))
	c.run(2 * time.Second)
	if want := []int{1, 2, 3, 4}; !slices.Equal(got, want) || c.now != 2*time.Second {
		t.Errorf("%v until %v, want %v until 2s", got, c.now, want)
	}
}
