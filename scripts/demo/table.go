package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// printTable prints the runs side by side, and why auto ended where it did.
func printTable(w io.Writer, runs []run) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "-j\tjobs\tseconds\tjobs/s\tmean limit\tlast limit\t")
	best := fastest(runs)
	for i, r := range runs {
		s := r.summary
		mark := ""
		if i == best {
			mark = " *"
		}
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.0f%-2s\t%.1f\t%d\t\n", r.flag, s.Jobs, s.Seconds, s.Rate, mark, s.Limit.Mean, s.Limit.Last)
	}
	t.Flush()
	fmt.Fprintln(w, "  * fastest")
	for _, r := range runs {
		if r.cut {
			fmt.Fprintf(w, "  -j %s was cut after %.0f s\n", r.flag, r.summary.Seconds)
		}
	}
	auto := runs[len(runs)-1]
	fmt.Fprintln(w, "\n  why auto ended there:")
	for line := range strings.Lines(strings.TrimSpace(auto.explain)) {
		fmt.Fprintln(w, "  |", strings.TrimRight(line, "\n"))
	}
}

// fastest returns the index of the run with the highest rate.
func fastest(runs []run) int {
	best := 0
	for i, r := range runs {
		if r.summary.Rate > runs[best].summary.Rate {
			best = i
		}
	}
	return best
}
