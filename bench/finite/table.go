package main

import (
	"fmt"
	"strings"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// memoryTable returns rows of lists in memory in Markdown: times over that of the best fixed
// number at which no job was killed, and how many were.
func memoryTable(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", machine.Describe(), roundsOf(rows))
	b.WriteString("| list | best safe `-j` | s | cold | warm | killed, cold | killed, warm |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range rows {
		best := r.took[fixedWay(r.best)]
		fmt.Fprintf(&b, "| %s | %d | %.2f | %s | %s | %d | %d |\n", r.list.about, r.best, best,
			stats.FormatRatio(r.took[coldWay]/best), stats.FormatRatio(r.took[warmWay]/best),
			r.kills[coldWay], r.kills[warmWay])
	}
	return b.String()
}

// table returns the rows in Markdown: times over that of the best fixed number.
func (o *options) table(rows []row) string {
	columns := []string{coldWay, warmWay, staleWay, "xargs", "parallel"}
	if o.old != "" {
		columns = append(columns, oldWay)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n", machine.Describe(), roundsOf(rows))
	fmt.Fprintf(&b, "| list | best `-j` | s | %s |\n|---|--:|--:|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for _, r := range rows {
		best := r.took[fixedWay(r.best)]
		fmt.Fprintf(&b, "| %s | %d | %.2f |", r.list.about, r.best, best)
		for _, c := range columns {
			if t, ok := r.took[c]; ok {
				fmt.Fprintf(&b, " %s |", stats.FormatRatio(t/best))
			} else {
				b.WriteString(" – |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// roundsOf returns "5 rounds", or "3 to 5 rounds" if lists differ.
func roundsOf(rows []row) string {
	least, most := rows[0].rounds, rows[0].rounds
	for _, r := range rows {
		least, most = min(least, r.rounds), max(most, r.rounds)
	}
	if least < most {
		return fmt.Sprintf("%d to %d rounds", least, most)
	}
	return fmt.Sprintf("%d rounds", most)
}
