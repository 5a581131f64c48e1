package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestEveryScenarioHasBars(t *testing.T) {
	var have, want []string
	for _, b := range bars {
		have = append(have, b.scenario)
	}
	for _, s := range sim.Scenarios() {
		want = append(want, s.Name)
	}
	if !slices.Equal(have, want) {
		t.Errorf("bars for %v, scenarios %v", have, want)
	}
}

// perfect returns rows that meet all bars.
func perfect() (rows []sim.Row) {
	for _, s := range sim.Scenarios() {
		rows = append(rows, sim.Row{Name: s.Name, Score: 1, Worst: 1, Last: 1, Ratio: 1, Settled: 1, Act: 1})
	}
	return rows
}

func TestMissed(t *testing.T) {
	if misses, asked := missed(bars, perfect()); len(misses) != 0 || asked != 149 {
		t.Errorf("a perfect law missed %v of %d", misses, asked)
	}
	for _, c := range []struct {
		name  string
		spoil func(*sim.Row)
		want  string
	}{
		{"thrash40", func(r *sim.Row) { r.Score = 0.95 }, "thrash40: score"},
		{"thrash40", func(r *sim.Row) { r.Worst = 0.9 }, "thrash40: worst"},
		{"thrash40", func(r *sim.Row) { r.T95 = math.Inf(1) }, "thrash40: t95"},
		{"extcpu", func(r *sim.Row) { r.Recover, r.Last = 0.75, 0.5 }, "extcpu: last, recover"},
		{"io3000", func(r *sim.Row) { r.Act = math.NaN() }, "io3000: act"},
		{"cpu2", func(r *sim.Row) { r.Ratio = 2.5 }, "cpu2: N/N*|all: N/N*"},
		{"disk1", func(r *sim.Row) { r.Settled = 0.9 }, "disk1: after 10 s"},
		{"disk1", func(r *sim.Row) { r.Score, r.Worst = 0.1, 0 }, ""},
		{"cpu8", func(r *sim.Row) { r.Worst = 0.3 }, "cpu8: worst|all: mean of worst, worst run"},
		{"cpu8", func(r *sim.Row) { r.Score = 0.5 }, "cpu8: score|all: mean"},
		{"cpu8", func(r *sim.Row) { r.Name = "other" }, "cpu8: not run"},
	} {
		rows := perfect()
		for i := range rows {
			if rows[i].Name == c.name {
				c.spoil(&rows[i])
			}
		}
		misses, _ := missed(bars, rows)
		if got := strings.Join(named(misses), "|"); got != c.want {
			t.Errorf("%s: missed %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMissString(t *testing.T) {
	if got, want := (miss{"extcpu", "recover", math.Inf(1), 0.5, true}).String(), "extcpu recover +Inf, want at most 0.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
