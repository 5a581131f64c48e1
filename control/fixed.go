package control

import (
	"fmt"
	"time"
)

// Fixed is the law that always decides the same number. It is the reference for the
// others, and serves users who set a number.
type Fixed struct {
	n       int
	started bool
}

// fixedPeriod is how long Fixed needs no reading. Nothing a reading says can
// change its mind, so it only has to correct a limit that others have moved.
const fixedPeriod = time.Second

// NewFixed returns a controller that always decides n. It panics if n is less than 1.
func NewFixed(n int) *Fixed {
	if n < 1 {
		panic(fmt.Sprintf("control: NewFixed(%d): want a limit of at least 1", n))
	}
	return &Fixed{n: n}
}

// Next decides the number given to [NewFixed]. The first decision has a reason of kind
// Start. Later ones have none, unless the limit was moved by other means.
func (f *Fixed) Next(r Reading) Decision {
	d := move(r.Limit, f.n, fixedPeriod, "back to the fixed number")
	if !f.started {
		f.started = true
		d.Reason.Kind, d.Reason.Note = Start, "a fixed number"
	}
	return d
}
