package sqllimit

import (
	"context"

	"github.com/sweetspot-go/sweetspot"
)

// Do is [sweetspot.Limiter.Do] for work that uses several connections, in turn or at
// the same time. All connections used with the ctx given to f share one permit, that of
// f, and are part of its unit. So a query inside the loop over the Rows of another one
// cannot wait for itself. It returns as Limiter.Do does; the error of f decides the
// outcome, see [sweetspot.Classify].
//
// The ctx of a Limiter.Do, or of a parallel call of package sweetspot with l as option,
// covers connections in the same way.
//
// A connection whose use began inside, such as that of Rows or a Tx, must return to the
// pool before f returns: from then on it works without a permit.
func Do(ctx context.Context, l *sweetspot.Limiter, f func(ctx context.Context) error) error {
	return l.Do(ctx, f)
}
