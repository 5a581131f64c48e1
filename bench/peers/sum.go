package main

import (
	"context"
	"fmt"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// addRange adds lo to hi-1, in a register. It is called through a variable by
// everybody who can, so that all run the same instructions at the same place:
// where a loop this small lies can make it twice as slow.
var addRange = func(_ context.Context, acc, lo, hi int) (int, error) {
	for i := lo; i < hi; i++ {
		acc += i
	}
	return acc, nil
}

// sums are ways to add 0 to n-1.
var sums = []struct {
	name string
	add  func(n int) (int, error)
}{
	{"serial", func(n int) (int, error) { return addRange(context.Background(), 0, 0, n) }},
	{"ReduceRange", func(n int) (int, error) {
		return sweetspot.ReduceRange(context.Background(), n, zero, addRange, plus)
	}},
}

func total(xs []int) int {
	sum := 0
	for _, x := range xs {
		sum += x
	}
	return sum
}

func sumGroup() group {
	rows := []string{"serial", "ReduceRange", halvesRow}
	const column = "0 .. n-1"
	return group{
		name:  "sum",
		title: "A sum in a register",
		about: "The sum of 0 to 1e9 - 1 (a quick look: 1e8), by one function that adds a range. Experiments B1 to B4 of the lab\nhave slots in memory beside it.",
		list: func(procs int, quick bool, add func(subject)) {
			n := 1_000_000_000 / procs * procs
			if quick {
				n = 100_000_000 / procs * procs
			}
			check := func(got int) error {
				if want := n / 2 * (n - 1); got != want {
					return fmt.Errorf("the sum is %d, want %d", got, want)
				}
				return nil
			}
			for _, s := range sums {
				add(subject{row: s.name, column: column, procs: procs, items: n, set: func(environment) task {
					return making(func() (int, error) { return s.add(n) }, check)
				}})
			}
			add(subject{row: halvesRow, column: column, procs: procs, items: n, set: func(e environment) task {
				parts := make([]int, e.procs)
				return halves(e.procs, func(i int) {
					parts[i], _ = addRange(context.Background(), 0, n/e.procs*i, n/e.procs*(i+1))
				}, func() error { return check(total(parts)) })
			}})
		},
		report: func(r *findings) {
			t := program.Table{Caption: "Time, less is better:", Head: []string{"", "time", "/ serial", "/ halves", "first call / serial"}, Empty: missing}
			for _, row := range rows {
				if time := r.each(ns, stats.FormatTime)(row, column); time != "" {
					t.Add(row, time, r.over(rows[0])(row, column), r.over(halvesRow)(row, column), stats.FormatRatio(r.ratio(row, rows[0], column, first)))
				}
			}
			r.table(t)
			r.atMost("ReduceRange, sum of 0 to 1e9 - 1", r.ratios("ReduceRange", rows[0], column, ns), 0.53, "serial")
		},
	}
}
