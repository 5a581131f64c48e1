package run

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// heldMost is how many bytes of values may be held in memory to combine them
// with others. It is more than any list that somebody wrote, and less than
// what would hurt.
const heldMost = 256 << 20

// perHeld is what a value takes in memory besides its bytes: its header, and
// its part of a row's.
const perHeld = 40

// A hold keeps the rows of a list that are needed again.
type hold struct {
	rows [][]string
	size int
	most int
	name string
	why  string // they must be held
}

// combined is why lists are held that are combined with others.
const combined = "to be combined with those of another list: give the longest list first"

// add keeps a row, or says that it is too much.
func (h *hold) add(row []string) error {
	for _, v := range row {
		h.size += len(v) + perHeld
	}
	if h.size > h.most {
		return fmt.Errorf("%s: more than %d MiB of values, and they must be held in memory: %s", h.name, h.most>>20, h.why)
	}
	h.rows = append(h.rows, row)
	return nil
}

// product combines each row of a list with each of another one, which changes faster. The
// first is read as it goes, the second is held.
type product struct {
	first  rows
	row    []string // the newest of first
	second rows     // nil once it is held
	hold   hold
	at     int // of the row of hold that comes next with row
}

// newProduct combines several lists, the last one changing fastest. Of all but the first it
// holds so many bytes each.
func newProduct(lists []rows, names []string, most int) rows {
	all := lists[0]
	for i := 1; i < len(lists); i++ {
		all = &product{first: all, second: lists[i], hold: hold{most: most, name: names[i], why: combined}}
	}
	return all
}

func (p *product) next(ctx context.Context) ([]string, error) {
	if p.at == len(p.hold.rows) {
		row, err := p.first.next(ctx)
		if p.second != nil && err == nil {
			if err = fill(ctx, &p.hold, p.second); err != nil {
				p.hold.rows = nil
			}
			p.second = nil
		}
		switch {
		case err != nil:
			return nil, err
		case len(p.hold.rows) == 0:
			return nil, io.EOF
		}
		p.row, p.at = row, 0
	}
	p.at++
	return slices.Concat(p.row, p.hold.rows[p.at-1]), nil
}

// fill reads a list to its end.
func fill(ctx context.Context, h *hold, r rows) error {
	for {
		row, err := r.next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = h.add(row)
		}
		if err != nil {
			return err
		}
	}
}
