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

// product combines each row of the first list with each of the second, and so
// on, the last one changing fastest. The first is read as it goes; the others
// are held.
type product struct {
	first rows
	rest  []rows
	holds []*hold // of the rest; filled when the first row is there
	row   []string
	at    []int // the combination to come; of the rest
	err   error
}

func newProduct(lists []rows, names []string) *product {
	p := &product{first: lists[0], rest: lists[1:]}
	for _, n := range names[1:] {
		p.holds = append(p.holds, &hold{most: heldMost, name: n, why: combined})
	}
	return p
}

func (p *product) next(ctx context.Context) ([]string, error) {
	if p.err == nil && p.row == nil {
		p.err = p.advance(ctx)
	}
	if p.err != nil {
		return nil, p.err
	}
	row := slices.Clone(p.row)
	for i, h := range p.holds {
		row = append(row, h.rows[p.at[i]]...)
	}
	p.step()
	return row, nil
}

// advance fetches the next row of the first list, and with its first one all of
// the others.
func (p *product) advance(ctx context.Context) error {
	row, err := p.first.next(ctx)
	if err != nil {
		return err
	}
	if p.at == nil {
		for i, h := range p.holds {
			if err := fill(ctx, h, p.rest[i]); err != nil {
				return err
			}
		}
		for _, h := range p.holds {
			if len(h.rows) == 0 {
				return io.EOF
			}
		}
	}
	p.row, p.at = row, make([]int, len(p.holds))
	return nil
}

// step goes on to the next combination.
func (p *product) step() {
	for i := len(p.at) - 1; i >= 0; i-- {
		if p.at[i]++; p.at[i] < len(p.holds[i].rows) {
			return
		}
		p.at[i] = 0
	}
	p.row = nil
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
