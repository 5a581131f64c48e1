package control_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

func ExampleNewFixed() {
	c := control.NewFixed(8)
	d := c.Next(control.Reading{Limit: 2})
	fmt.Println(d.Limit)
	fmt.Println(d.Reason)
	// Output:
	// 8
	// starts at 8: a fixed number
}

func ExampleFixed_Next() {
	c := control.NewFixed(8)
	fmt.Println(c.Next(control.Reading{Limit: 8}).Reason)
	fmt.Printf("%q\n", c.Next(control.Reading{At: time.Second, Limit: 8}).Reason)
	fmt.Println(c.Next(control.Reading{At: 2 * time.Second, Limit: 5}).Reason)
	// Output:
	// starts at 8: a fixed number
	// ""
	// 5→8: back to the fixed number
}

func TestFixedDecidesItsNumber(t *testing.T) {
	c := control.NewFixed(3)
	for _, limit := range []int{1, 3, 3, 100, 2} {
		if d := c.Next(control.Reading{Limit: limit}); d.Limit != 3 || d.After <= 0 {
			t.Errorf("at %d: limit %d after %v, want 3 and a rest", limit, d.Limit, d.After)
		}
	}
}

func TestFixedRefusesLessThanOne(t *testing.T) {
	for _, n := range []int{0, -1} {
		mustPanic(t, fmt.Sprintf("control: NewFixed(%d): want a limit of at least 1", n), func() { control.NewFixed(n) })
	}
}

// mustPanic fails the test unless f panics with the message.
func mustPanic(t *testing.T, message string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != message {
			t.Errorf("panics with %v, want %q", got, message)
		}
	}()
	f()
}
