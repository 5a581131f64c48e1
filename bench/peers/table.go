package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// missing stands for a figure that was not measured.
const missing = "–"

// grid adds a table with a cell for each row and column. Rows and columns
// without any figure are left out.
func (r *findings) grid(caption string, rows, columns []string, cell func(row, column string) string) {
	var kept []string
	for _, c := range columns {
		if slices.ContainsFunc(rows, func(row string) bool { return cell(row, c) != "" }) {
			kept = append(kept, c)
		}
	}
	t := program.Table{Caption: caption, Head: append([]string{""}, kept...), Empty: missing}
	for _, row := range rows {
		line, empty := []string{row}, true
		for _, c := range kept {
			x := cell(row, c)
			line, empty = append(line, x), empty && x == ""
		}
		if !empty {
			t.Add(line...)
		}
	}
	r.table(t)
}

// signed is span with a sign, and nothing for NaN.
func signed(ns float64) string {
	if math.IsNaN(ns) {
		return ""
	}
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
