package sqllimit

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// An Option sets up the gate of a DB; see [Open].
type Option func(*gate)

// idleDefault is many times what the law takes to come back to a limit that it
// left for an experiment, so that trying does not open connections again and
// again.
const idleDefault = time.Minute

// MaxIdleTime closes connections that were idle for d; the default is a minute. It
// replaces [sql.DB.SetConnMaxIdleTime]. It panics unless d is positive.
func MaxIdleTime(d time.Duration) Option {
	positive("MaxIdleTime", d)
	return func(g *gate) { g.rest.idleTime = d }
}

// MaxLifetime closes connections that were opened d ago, when they are idle; by default
// there is no maximum. It replaces [sql.DB.SetConnMaxLifetime]. It panics unless d is
// positive.
func MaxLifetime(d time.Duration) Option {
	positive("MaxLifetime", d)
	return func(g *gate) { g.rest.lifetime = d }
}

func positive(option string, d time.Duration) {
	if d <= 0 {
		panic(fmt.Sprintf("sqllimit: %s(%v): want a time above 0", option, d))
	}
}

// Classify sets what the error of a statement, or of opening a connection, means for
// the limit, instead of [Outcome]. Any other value counts as [sweetspot.Ignored]. f must not
// block, because a connection is locked meanwhile. Classify panics if f is nil.
func Classify(f func(error) sweetspot.Outcome) Option {
	if f == nil {
		panic("sqllimit: Classify(nil): want a function from error to Outcome")
	}
	return func(g *gate) { g.classify = f }
}

// Outcome is the default outcome of an error. Errors with an SQLSTATE of class 53,
// insufficient resources (PostgreSQL's manual, appendix A), are [sweetspot.Overloaded]:
// out of memory, disk full, too many connections. Everything else is
// [sweetspot.Ignored], including timeouts, which show a slow statement as often as a
// slow server. nil is [sweetspot.Done].
//
// The SQLSTATE comes from a method SQLState() string, as in errors of pgx and pq; for
// other errors see [Classify].
func Outcome(err error) sweetspot.Outcome {
	if err == nil {
		return sweetspot.Done
	}
	var s interface{ SQLState() string }
	if errors.As(err, &s) && strings.HasPrefix(s.SQLState(), "53") {
		return sweetspot.Overloaded
	}
	return sweetspot.Ignored
}
