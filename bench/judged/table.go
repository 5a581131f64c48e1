package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A table is what a suite prints.
type table struct {
	name    string // unique; the tables of docs/judged.md are found by it
	caption string
	head    []string
	rows    [][]string
	words   bool // most cells hold more than a number
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes the table for a terminal.
func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n", t.caption)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(tw, strings.Join(r, "\t"))
	}
	tw.Flush()
	fmt.Fprintln(w)
}

// markdown returns the table in Markdown, numbers to the right.
func (t *table) markdown() string {
	var b strings.Builder
	align := "--:|"
	if t.words {
		align = "---|"
	}
	fmt.Fprintf(&b, "%s\n\n| %s |\n|---|%s\n", t.caption, strings.Join(t.head, " | "), strings.Repeat(align, len(t.head)-1))
	for _, r := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	return b.String()
}

// median returns the middle one of xs, the lower one of two.
func median[T int | float64](xs []T) T {
	xs = slices.Sorted(slices.Values(xs))
	return xs[(len(xs)-1)/2]
}

// figure formats a number with three digits.
func figure(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	case x == float64(int(x)):
		return fmt.Sprint(int(x))
	}
	return fmt.Sprintf("%.2f", x)
}
