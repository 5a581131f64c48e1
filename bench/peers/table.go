package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
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

// factor formats a ratio, and nothing for NaN.
func factor(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return ""
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// span formats a time given in nanoseconds with three digits, and nothing for
// NaN.
func span(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return ""
	}
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", float64(time.Second)}, {"ms", float64(time.Millisecond)}, {"µs", float64(time.Microsecond)}} {
		if math.Abs(ns) >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}

// signed is span with a sign.
func signed(ns float64) string {
	if ns < 0 {
		return "- " + span(-ns)
	}
	return "+ " + span(ns)
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
