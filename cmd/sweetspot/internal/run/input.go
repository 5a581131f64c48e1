package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// An input yields the values of the jobs: rows, and how many there are.
type input struct {
	rows
	*tally
	// count counts the jobs ahead; nil where that is not possible.
	count func(context.Context) (n int64, ok bool)
	// blocks are what the jobs read with --pipe; nil without it.
	blocks *blocks
	// names are those of a job's values, by --header.
	names   []string
	bundles *bundles // nil: a job is one row
	// order puts all rows in another order than that of the input; nil: in none.
	order func([][]string)
}

// rows yields the values of one job after the other. A row is not changed after
// it was returned. The error is io.EOF at the end and the cause of ctx once it
// is done; after an error there is nothing more.
//
// Only one goroutine at a time may call next.
type rows interface {
	next(ctx context.Context) ([]string, error)
}

// A tally counts jobs, for those who show how far the run is.
type tally struct {
	seen  atomic.Int64 // jobs that are known to come, or have come
	ended atomic.Bool  // seen is all there are
}

// input returns where the jobs get their values from. It waits for the lines that --header
// takes. [input.suit] is called before the first row is taken.
//
//	list → lines or columns of each → combined → as many as a job takes → all of them
func (o *inputOptions) input(ctx context.Context) (*input, error) {
	sources := o.lists()
	sep := o.separator()
	packs := o.bundles()
	in := &input{count: o.counter(sources, sep, packs)} // before anything is read
	lists, titles := make([]rows, len(sources)), make([]string, len(sources))
	for i := range sources {
		lists[i], titles[i] = o.values(sources[i].list(ctx, sources[i].opener(), sep, o.csv)), sources[i].name()
	}
	if o.shuffle {
		in.order = shuffled
	}
	for i := 0; o.header && i < len(lists); i++ {
		row, err := lists[i].next(ctx)
		if err == io.EOF {
			return nil, fmt.Errorf("--header: %s is empty, and its first line is to name the columns", titles[i])
		}
		if err != nil {
			return nil, err
		}
		in.names = append(in.names, row...)
	}
	in.rows = o.combine(sources, lists, titles)
	if packs != nil {
		packs.rows, in.bundles = in.rows, packs
		in.rows = packs
	}
	// Values of one list that are jobs as they are count as they are read, ahead of the jobs.
	if f, plain := in.rows.(*feed); plain && !o.header {
		in.tally = &f.tally
	} else {
		c := &counted{rows: in.rows, sources: sources}
		in.rows, in.tally = c, &c.tally
	}
	if o.none() {
		in.rows = mapped{in.rows, noValues}
	}
	return in, nil
}

// bundles returns what makes one row of several, still without these; nil if a job is one row.
func (o *inputOptions) bundles() *bundles {
	if n := o.packed(); n != 1 && !o.none() {
		return &bundles{most: n}
	}
	return nil
}

// noValues is the row of a job without values: the list only says how many jobs there are.
func noValues([]string) []string { return nil }

// suit has the input suit a command: length says by how much a value of so many bytes makes
// it longer, and counted that it names the number of jobs.
func (in *input) suit(length func(v int) int, counted bool) {
	if in.bundles != nil {
		in.bundles.length = length
	}
	if in.order != nil || counted {
		w := &whole{rows: in.rows, order: in.order, most: heldMost}
		in.rows, in.tally = w, &w.tally
	}
}

// place returns where a job runs.
func (in *input) place(seq int64, slot int) template.Place {
	return template.Place{Seq: seq, Slot: slot, Total: in.seen.Load()}
}

func (o *inputOptions) values(f *feed) rows {
	var r rows = f
	if o.lines > 0 {
		r = &wholeLines{feed: f}
	}
	if o.until != "" {
		r = &until{rows: r, end: o.until}
	}
	switch {
	case o.csv:
		comma, _ := o.comma() // check has seen to it
		r = &records{feed: f, comma: comma, trim: o.trim}
	case o.columns != nil:
		trim := cmp.Or(o.trim, trimColumns)
		// An empty column is an empty value.
		r = mapped{r, func(line []string) []string { return trim.apply(o.columns.Split(line[0], -1)) }}
	case o.trim != "" && o.trim != "n":
		r = mapped{r, o.trim.apply}
	}
	return r
}

func (o *inputOptions) combine(sources []source, lists []rows, names []string) rows {
	var groups []rows
	var groupNames []string
	for i := 0; i < len(lists); {
		end := i + 1
		for end < len(lists) && (o.link || sources[end].linked) {
			end++
		}
		group := lists[i]
		if end > i+1 {
			group = newLinks(lists[i:end], names[i:end], !o.link)
		}
		groups, groupNames = append(groups, group), append(groupNames, names[i])
		i = end
	}
	return newProduct(groups, groupNames, heldMost)
}

// counter returns what counts the jobs ahead; packs makes them, if not nil. It returns nil where
// the list comes from a pipe, or is linked to another.
func (o *inputOptions) counter(sources []source, sep string, packs *bundles) func(context.Context) (int64, bool) {
	again := make([]opener, len(sources))
	for i := range sources {
		var ok bool
		if again[i], ok = sources[i].again(); !ok || sources[i].linked {
			return nil
		}
	}
	return func(ctx context.Context) (int64, bool) {
		var jobs float64 = 1
		for i := range again {
			list := o.values(sources[i].list(ctx, again[i], sep, o.csv))
			if o.header {
				_, _ = list.next(ctx) // after an error there is nothing more
			}
			if packs != nil { // then there is one list
				list = &bundles{rows: list, most: packs.most, length: packs.length}
			}
			var n float64
			var err error
			for ; err == nil; n++ {
				_, err = list.next(ctx)
			}
			n-- // the end
			switch {
			case err != io.EOF:
				return 0, false
			case o.link && i > 0:
				jobs = max(jobs, n)
			default:
				jobs *= n
			}
		}
		return int64(jobs), jobs < math.MaxInt64
	}
}

// counted counts the rows of sources. If there are none, not all sources have been read, and one
// that cannot be is named.
type counted struct {
	rows
	tally
	sources []source
}

func (c *counted) next(ctx context.Context) ([]string, error) {
	row, err := c.rows.next(ctx)
	for i := 0; err == io.EOF && c.seen.Load() == 0 && i < len(c.sources); i++ {
		err = cmp.Or(c.sources[i].readable(), io.EOF)
	}
	if err != nil {
		c.ended.Store(true)
		return nil, err
	}
	c.seen.Add(1)
	return row, nil
}
