package sweetspot

import (
	"context"
	"iter"
)

// ForEachSeqFrom is ForEachSeq that has done as many values already as index says.
func ForEachSeqFrom[T any](ctx context.Context, index int64, seq iter.Seq[T], f func(ctx context.Context, v T) error, opts ...Option) error {
	e := &visitingSeq[T]{seq: seq, f: f}
	e.engage("ForEachSeq", 0, opts)
	if err := e.begin(ctx, e, 0); err != nil {
		return err
	}
	e.unclaimed.Store(1)
	e.index, e.from = index, index
	return e.errs.join(e.run())
}
