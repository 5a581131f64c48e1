package simcmd_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestEveryScenarioHasBars(t *testing.T) {
	var names []string
	for _, s := range sim.Scenarios() {
		names = append(names, s.Name)
	}
	if bars := simcmd.BarScenarios(); !slices.Equal(bars, names) {
		t.Errorf("bars for %v, scenarios %v", bars, names)
	}
}

// perfect returns rows that meet all bars.
func perfect() []sim.Row {
	var rows []sim.Row
	for _, s := range sim.Scenarios() {
		rows = append(rows, sim.Row{Name: s.Name, Score: 1, Worst: 1, Last: 1, Ratio: 1, Settled: 1, Act: 1})
	}
	return rows
}

func TestVerdicts(t *testing.T) {
	all, miss, text := simcmd.Verdicts(perfect())
	if len(miss) != 0 || !strings.HasPrefix(text, "149 of 149 bars met\n") || len(all) != 149 {
		t.Errorf("a perfect law missed %v\n%s", miss, text)
	}
	for _, c := range []struct {
		name  string
		spoil func(*sim.Row)
		want  []string
	}{
		{"thrash40", func(r *sim.Row) { r.Score = 0.95 }, []string{"thrash40 score 0.95, want at least 0.96: missed by 0.01"}},
		{"thrash40", func(r *sim.Row) { r.Worst = 0.9 }, []string{"thrash40 worst 0.9, want at least 0.91: missed by 0.01"}},
		{"thrash40", func(r *sim.Row) { r.T95 = math.Inf(1) }, []string{"thrash40 t95 never, want at most 6.3: missed by far"}},
		{"extcpu", func(r *sim.Row) { r.Recover = 0.75 }, []string{"extcpu recover 0.75, want at most 0.5: missed by 0.25"}},
		{"io3000", func(r *sim.Row) { r.Act = math.NaN() }, []string{"io3000 act NaN"}},
		{"cpu2", func(r *sim.Row) { r.Ratio = 2.5 }, []string{"cpu2 N/N* 2.5", "all highest N/N* 2.5, want at most 2: missed by 0.5"}},
		{"cpu64", func(r *sim.Row) { r.Last = 0.99 }, []string{"cpu64 last 0.99"}},
		{"disk1", func(r *sim.Row) { r.Settled = 0.9 }, []string{"disk1 after 10 s 0.9, want at least 0.95"}},
		{"disk1", func(r *sim.Row) { r.Score, r.Worst = 0.1, 0 }, nil},
		{"cpu8", func(r *sim.Row) { r.Worst = 0.3 }, []string{"cpu8 worst 0.3", "all mean of worst 0.965", "all worst run 0.3"}},
		{"cpu8", func(r *sim.Row) { r.Score = 0.5 }, []string{"cpu8 score 0.5", "all mean 0.975"}},
	} {
		rows := perfect()
		for i := range rows {
			if rows[i].Name == c.name {
				c.spoil(&rows[i])
			}
		}
		_, miss, _ := simcmd.Verdicts(rows)
		ok := len(miss) == len(c.want)
		for i := range miss {
			ok = ok && strings.HasPrefix(miss[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: missed %q, want %q", c.name, miss, c.want)
		}
	}
	if all, _, _ := simcmd.Verdicts(perfect()[1:]); len(all) != 149-6-4 {
		t.Errorf("%d bars without cpu2: the bars on all scenarios need all of them", len(all))
	}
}
