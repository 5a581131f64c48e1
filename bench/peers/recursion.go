package main

import (
	"fmt"
	"slices"
)

// afterAnother marks the rows whose runs find the threads of the one before awake.
const afterAnother = ", right after another"

// A recursion is a computation that divides itself.
type recursion struct {
	name   string
	others []string // ways besides the serial one, Join's and the halves
	awake  []string // ways that are measured right after another run, too
	set    func(parts int) ways
}

// ways are ways to compute the same, once set up. Each can be called again and
// again, and returns the same number; halves returns shares of it.
type ways struct {
	before func()                              // makes the input anew; nil if computing leaves it alone
	serial func() int                          // in this goroutine
	join   func() int                          // by Join, which may fall back to the serial one
	halves func(part int) int                  // a share
	others map[string]func() int               // by row
	check  func(result int, halves bool) error // nil if the result says it all
}

// shares divides a problem by splitting its largest part, again and again, and
// gives the parts to n shares of about the same size.
func shares[X any](n int, whole X, split func(X) []X, size func(X) int) [][]X {
	const each = 64 // parts for each share: they even out
	parts := []X{whole}
	for len(parts) < each*n {
		slices.SortFunc(parts, func(a, b X) int { return size(a) - size(b) })
		last := len(parts) - 1
		pieces := split(parts[last])
		if pieces == nil {
			break
		}
		parts = append(parts[:last], pieces...)
	}
	slices.SortFunc(parts, func(a, b X) int { return size(b) - size(a) })
	share, load := make([][]X, n), make([]int, n)
	for _, p := range parts {
		i := slices.Index(load, slices.Min(load))
		share[i] = append(share[i], p)
		load[i] += size(p)
	}
	return share
}

func (r recursion) subjects(procs int) []subject {
	add := func(row string, set func(e environment) task) subject {
		return subject{row: row, column: r.name, procs: procs, items: 1, set: set}
	}
	way := func(row string, pick func(ways) func() int) subject {
		return add(row, func(e environment) task {
			w := r.set(e.procs)
			check := w.checking(false)
			compute := pick(w)
			t := making(func() (int, error) { return compute(), nil }, check)
			t.before = w.before
			return t
		})
	}
	ss := []subject{
		way(serialRow, func(w ways) func() int { return w.serial }),
		add(halvesRow, func(e environment) task {
			w := r.set(e.procs)
			check := w.checking(true)
			got := make([]int, e.procs)
			t := halves(e.procs, func(part int) { got[part] = w.halves(part) }, func() error { return check(total(got)) })
			if w.before != nil {
				begin := t.before
				t.before = func() {
					w.before()
					begin()
				}
			}
			return t
		}),
		way(joinRow, func(w ways) func() int { return w.join }),
	}
	for _, row := range r.others {
		ss = append(ss, way(row, func(w ways) func() int { return w.others[row] }))
	}
	for _, row := range r.awake {
		rested := ss[slices.IndexFunc(ss, func(s subject) bool { return s.row == row })]
		ss = append(ss, add(row+afterAnother, func(e environment) task {
			t := rested.set(e)
			t.awake = true
			return t
		}))
	}
	return ss
}

// checking returns what checks results: against the serial one, if the recursion
// has no check of its own.
func (w ways) checking(halves bool) func(got int) error {
	if w.check != nil {
		return func(got int) error { return w.check(got, halves) }
	}
	if w.before != nil {
		w.before()
	}
	want := w.serial()
	return func(got int) error {
		if got != want {
			return fmt.Errorf("the result is %d, want %d", got, want)
		}
		return nil
	}
}
