package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A table is one table of the report.
type table struct {
	caption string
	head    []string
	rows    [][]string
	text    bool // the cells hold words
}

// grid returns a table with a cell for each row and column. Rows and columns
// without any figure are left out.
func grid(caption, corner string, rows, columns []string, cell func(row, column string) string) table {
	var kept []string
	for _, c := range columns {
		for _, r := range rows {
			if cell(r, c) != "" {
				kept = append(kept, c)
				break
			}
		}
	}
	t := table{caption: caption, head: append([]string{corner}, kept...)}
	for _, r := range rows {
		line, empty := []string{r}, true
		for _, c := range kept {
			x := cell(r, c)
			line, empty = append(line, x), empty && x == ""
		}
		if !empty {
			t.rows = append(t.rows, line)
		}
	}
	return t
}

// write writes the table in Markdown, figures to the right; one without rows is
// left out.
func (t table) write(w io.Writer) {
	if len(t.rows) == 0 {
		return
	}
	if t.caption != "" {
		fmt.Fprintf(w, "%s\n\n", t.caption)
	}
	align := "--:|"
	if t.text {
		align = "---|"
	}
	fmt.Fprintf(w, "| %s |\n|---|%s\n", strings.Join(t.head, " | "), strings.Repeat(align, len(t.head)-1))
	for _, r := range t.rows {
		for i, x := range r {
			if x == "" {
				r[i] = "–"
			}
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
	}
	fmt.Fprintln(w)
}

// signed is span with a sign.
func signed(ns float64) string {
	if ns < 0 {
		return "- " + stats.FormatTime(-ns)
	}
	return "+ " + stats.FormatTime(ns)
}

// count formats a number of things, and nothing for NaN.
func count(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return ""
	case x >= 100 || x == math.Trunc(x):
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}
