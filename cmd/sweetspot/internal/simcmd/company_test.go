package simcmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestCompanyErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, "unknown command"},
		{[]string{"--scenario", "limited"}, `no scenario "limited": want one of computing, ten, fifty`},
		{[]string{"--controller", "no"}, `"no"`},
		{[]string{"--seeds", "0-"}, "--seeds"},
	} {
		if out, err := sweetspot(append([]string{"company"}, c.args...)...); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("sim company %q: %v; want an error with %q\n%s", c.args, err, c.want, out)
		}
	}
}

// The columns stay below their heads, however long the names are.
func TestCompanyTableIsStraight(t *testing.T) {
	var rows []sim.CompanyRow
	for _, c := range sim.Companies() {
		rows = append(rows, sim.CompanyRow{Name: c.Name, Best: []int{8}})
	}
	var b strings.Builder
	if err := simcmd.WriteCompanies(&b, "a law", 3, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for _, l := range lines[2 : 2+len(rows)] {
		if len(l) != len(lines[1]) {
			t.Fatalf("%s is not as wide as\n%s", l, lines[1])
		}
	}
}

func TestCompanyTable(t *testing.T) {
	rerun.Skip(t)
	out := mustRun(t, "company", "--scenario", "rising8,limit24", "--controller", "fixed:32,fixed:24", "--seeds", "1,2")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2*5 || lines[0] != "fixed(32), 2 seeds" || lines[5] != "fixed(24), 2 seeds" {
		t.Fatalf("the tables are\n%s", out)
	}
	for _, i := range []int{2, 3, 7, 8} {
		f := strings.Fields(lines[i])
		var score, ratio, refused float64
		if _, err := fmt.Sscan(f[2]+" "+f[5]+" "+f[10], &score, &ratio, &refused); err != nil || len(f) != 12 {
			t.Fatalf("%v: %s", err, lines[i])
		}
		// 1.415 and 1 doublings of 8 % below the best, 64; and at a server that refuses
		// above 24, 8 more are refused each millisecond.
		want := map[int][3]float64{2: {1 / 1.08, 0.5, 0}, 3: {1, 32. / 24, 0.87}, 7: {0.897, 24. / 64, 0}, 8: {1, 1, 0}}[i]
		for j, x := range []float64{score, ratio, refused} {
			if x < want[j]-0.02 || x > want[j]+0.02 {
				t.Errorf("%s: got %v, want %v", lines[i], x, want[j])
			}
		}
	}
}
