package sweetspot

import (
	"context"
	"iter"
)

// ForEachSeqFrom is ForEachSeq that has done as many values already as index says.
func ForEachSeqFrom[T any](ctx context.Context, index int64, seq iter.Seq[T], f func(ctx context.Context, v T) error, opts ...MapOption) error {
	e := &visitingSeq[T]{seq: seq, f: f}
	e.Engage(0, &settingsOf("ForEachSeq", opts).Config)
	e.Index, e.From = index, index
	return e.errs.join(e.Do(ctx, e))
}
