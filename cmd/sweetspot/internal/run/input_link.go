package run

import (
	"context"
	"fmt"
	"io"
)

// links makes a row of the next rows of several lists, up to the end of the
// longest: a shorter one begins anew when it has ended. That is what --link
// means.
type links struct {
	lists    []rows
	shortest bool    // it ends with the shortest list instead, as ":::+" means
	holds    []*hold // what a list may be asked for again
	ended    []bool
	open     int // lists that have not ended
	n        int // rows so far
}

func newLinks(lists []rows, names []string, shortest bool) *links {
	l := &links{lists: lists, shortest: shortest, ended: make([]bool, len(lists)), open: len(lists)}
	for _, n := range names {
		l.holds = append(l.holds, &hold{most: heldMost, name: n, why: combined})
	}
	return l
}

func (l *links) next(ctx context.Context) ([]string, error) {
	fresh := make([][]string, len(l.lists))
	for i, r := range l.lists {
		if l.ended[i] {
			continue
		}
		row, err := r.next(ctx)
		switch {
		case err == io.EOF:
			l.ended[i] = true
			l.open--
			if l.shortest {
				return nil, io.EOF
			}
		case err != nil:
			return nil, err
		default:
			fresh[i] = row
		}
	}
	if l.open == 0 || l.shortest && l.open < len(l.lists) {
		return nil, io.EOF
	}
	var row []string
	for i, h := range l.holds {
		switch {
		case !l.ended[i] && l.open > 1 && !l.shortest: // another list may turn out to be longer
			if err := h.add(fresh[i]); err != nil {
				return nil, err
			}
			fallthrough
		case !l.ended[i]:
			row = append(row, fresh[i]...)
		case len(h.rows) == 0:
			return nil, fmt.Errorf("--link: %s is empty, so there is nothing to go with the values of the other lists", h.name)
		default:
			row = append(row, h.rows[l.n%len(h.rows)]...)
		}
	}
	l.n++
	return row, nil
}
