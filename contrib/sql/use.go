package sqllimit

import (
	"database/sql/driver"
	"errors"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
)

// A use is one unit of work: from the first statement on a connection until it is
// back in the pool.
type use struct {
	guest   bool // of a unit of the same Limiter, whose permit covers it
	unit    sweetspot.Unit
	steps   int               // results seen
	worked  bool              // a statement succeeded
	broken  bool              // the first step found the connection broken
	outcome sweetspot.Outcome // the worst so far
}

// failed takes down what err, the result of a step of the use, says about it.
func (u *use) failed(err error, classify func(error) sweetspot.Outcome) {
	if err == driver.ErrSkip {
		return // it only asks database/sql to take another way
	}
	u.steps++
	if err == nil {
		return
	}
	u.broken = u.broken || u.steps == 1 && errors.Is(err, driver.ErrBadConn)
	// The outcomes are in order of their gravity.
	u.outcome = max(u.outcome, adapter.Judge(classify, Outcome, err))
}

// end gives the permit back.
func (u *use) end() {
	if u.guest {
		return
	}
	o := u.outcome
	if !u.worked {
		o = max(o, sweetspot.Ignored)
	}
	u.unit.End(o, 1)
}
