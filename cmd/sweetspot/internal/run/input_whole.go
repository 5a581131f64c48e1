package run

import (
	"context"
	"io"
	"math/rand/v2"
)

// whole reads all rows before it yields the first: to count them for {##}, or to put them in another order.
type whole struct {
	rows
	tally
	order func([][]string) // puts them in order; nil: they are
	most  int              // bytes to hold
	left  [][]string
}

func (w *whole) next(ctx context.Context) ([]string, error) {
	if !w.ended.Load() {
		h := &hold{most: w.most, name: "the input", why: "--shuf, --longest-first and {##} need all of them"}
		if err := fill(ctx, h, w.rows); err != nil {
			return nil, err
		}
		w.left = h.rows
		if w.order != nil {
			w.order(w.left)
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

func shuffled(rows [][]string) {
	rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}

// until ends a list at a value, for -E.
type until struct {
	rows
	end   string
	ended bool
}

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
