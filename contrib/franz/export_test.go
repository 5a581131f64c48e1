package franzlimit

import (
	"testing"
	"time"
)

// LeaveWithin has the farewell take at most d, until t ends.
func LeaveWithin(t testing.TB, d time.Duration) {
	before := leaveWithin
	leaveWithin = d
	t.Cleanup(func() { leaveWithin = before })
}

// RefusedFor has a refusal believed after d, until t ends.
func RefusedFor(t testing.TB, d time.Duration) {
	before := refusedFor
	refusedFor = d
	t.Cleanup(func() { refusedFor = before })
}
