package main

import (
	"fmt"
	"strconv"

	"github.com/sweetspot-go/sweetspot/bench/internal/machine"
	"github.com/sweetspot-go/sweetspot/bench/internal/program"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// memoryTable returns rows of lists in memory: times over that of the best fixed number at which
// no job was killed, and how many were.
func memoryTable(rows []row) program.Table {
	t := program.Table{Name: "memory", Caption: caption(rows), Head: []string{"list", "best safe `-j`", "s", "cold", "warm", "killed, cold", "killed, warm"}}
	for _, r := range rows {
		t.Add(r.list.about, strconv.Itoa(r.best), fmt.Sprintf("%.2f", r.took[fixedWay(r.best)]), r.overBest(coldWay), r.overBest(warmWay),
			strconv.Itoa(r.kills[coldWay]), strconv.Itoa(r.kills[warmWay]))
	}
	return t
}

// table returns the rows: times over that of the best fixed number.
func (o *options) table(rows []row) program.Table {
	columns := []string{coldWay, warmWay, staleWay, "xargs", "parallel"}
	if o.old != "" {
		columns = append(columns, oldWay)
	}
	t := program.Table{Name: "finite", Caption: caption(rows), Head: append([]string{"list", "best `-j`", "s"}, columns...), Empty: "–"}
	for _, r := range rows {
		cells := []string{r.list.about, strconv.Itoa(r.best), fmt.Sprintf("%.2f", r.took[fixedWay(r.best)])}
		for _, c := range columns {
			cells = append(cells, r.overBest(c))
		}
		t.Add(cells...)
	}
	return t
}

// overBest returns the time of a way over that of the best fixed number; nothing if it was not run.
func (r row) overBest(way string) string {
	if took, ok := r.took[way]; ok {
		return stats.FormatRatio(took / r.took[fixedWay(r.best)])
	}
	return ""
}

// caption says where rows were measured, and in how many rounds: "5", or "3 to 5" if lists differ.
func caption(rows []row) string {
	least, most := rows[0].rounds, rows[0].rounds
	for _, r := range rows {
		least, most = min(least, r.rounds), max(most, r.rounds)
	}
	rounds := fmt.Sprint(most)
	if least < most {
		rounds = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("%s, %s rounds.", machine.Describe(), rounds)
}
