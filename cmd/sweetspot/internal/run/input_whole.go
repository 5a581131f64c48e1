package run

import (
	"context"
	"io"
	"math/rand/v2"
)

// whole reads all rows before it yields the first: to count them for {##}, or to shuffle them.
type whole struct {
	rows
	tally
	shuffle bool
	most    int // bytes to hold
	left    [][]string
}

// next implements [rows].
func (w *whole) next(ctx context.Context) ([]string, error) {
	if !w.ended.Load() {
		h := &hold{most: w.most, name: "the input", why: "--shuf and {##} need all of them"}
		if err := fill(ctx, h, w.rows); err != nil {
			return nil, err
		}
		w.left = h.rows
		if w.shuffle {
			rand.Shuffle(len(w.left), func(i, j int) { w.left[i], w.left[j] = w.left[j], w.left[i] })
		}
		w.seen.Store(int64(len(w.left)))
		w.ended.Store(true)
	}
	if len(w.left) == 0 {
		return nil, io.EOF
	}
	row := w.left[0]
	w.left[0] = nil
	w.left = w.left[1:]
	return row, nil
}

// until ends a list at a value, for -E.
type until struct {
	rows
	end   string
	ended bool
}

// next implements [rows].
func (u *until) next(ctx context.Context) ([]string, error) {
	if u.ended {
		return nil, io.EOF
	}
	row, err := u.rows.next(ctx)
	if err == nil && row[0] == u.end {
		u.ended = true
		return nil, io.EOF
	}
	return row, err
}
