package simcmd_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestFleetErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, "unknown command"},
		{[]string{"--fleet", "armada"}, `no fleet "armada": want one of own, shared, thrash`},
		{[]string{"--workers", "0"}, "it has 0 workers"},
		{[]string{"--jobs", "0"}, "there are 0 jobs"},
		{[]string{"--limit", "none"}, `--limit "none": want worker, shared or best`},
		{[]string{"--limit", ""}, "nothing to do"},
		{[]string{"--controller", "dynamictarget"}, "stands for 3"},
		{[]string{"--controller", "no"}, `"no"`},
		{[]string{"--start", "-1"}, "--start -1"},
		{[]string{"--json", filepath.Join(t.TempDir(), "no", "f")}, "--json: open"},
	} {
		if out, err := sweetspot(append([]string{"fleet"}, c.args...)...); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("sim fleet %q: %v; want an error with %q\n%s", c.args, err, c.want, out)
		}
	}
}

// TestFleetJSON holds table and JSON against each other, and the ratios against the
// figures that they are made of.
func TestFleetJSON(t *testing.T) {
	rerun.Skip(t)
	file := filepath.Join(t.TempDir(), "r.json")
	out := mustRun(t, "fleet", "--fleet", "shared", "--workers", "1,3", "--jobs", "1500", "--start", "20", "--json", file)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2+6 || !strings.HasPrefix(lines[2], "shared         1 worker        -") || !strings.HasPrefix(lines[6], "shared         3 shared") {
		t.Errorf("the table is\n%s", out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Version, Jobs int
		Seed          uint64
		Controller    string
		Runs          []map[string]any
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != 2 || d.Jobs != 1500 || d.Seed != 1 || d.Controller != "search" || len(d.Runs) != 6 {
		t.Fatalf("%+v", d)
	}
	get := func(i int, key string) float64 {
		x, ok := d.Runs[i][key].(float64)
		if !ok || x < 0 {
			t.Errorf("run %d: %s is %v", i, key, d.Runs[i][key])
		}
		return x
	}
	for i, r := range d.Runs {
		if want := []string{"worker", "shared", "best"}[i%3]; r["by"] != want || r["fleet"] != "shared" || get(i, "workers") != []float64{1, 3}[i/3] {
			t.Errorf("run %d is %v", i, r)
		}
		for _, key := range []string{"limit", "seconds", "rate", "in_flight", "peak", "residence", "p99", "messages", "stores", "ticks", "busy", "overhead", "events"} {
			get(i, key)
		}
		best := get(i, "settled") / get(i/3*3+2, "settled")
		if math.Abs(best-get(i, "best")) > 1e-9 {
			t.Errorf("run %d: best is %v, want %v", i, r["best"], best)
		}
		if i < 3 && r["growth"] != nil {
			t.Errorf("the first growth is %v", r["growth"])
		}
		if i >= 3 && math.Abs(get(i, "growth")-get(i, "overhead")/get(i-3, "overhead")) > 1e-9 {
			t.Errorf("run %d: growth is %v", i, r["growth"])
		}
	}
	args := []string{"fleet", "--fleet", "shared", "--workers", "1,3", "--jobs", "1500", "--start", "20", "--json", "-"}
	if piped := mustRun(t, args...); piped != string(b) {
		t.Error("--json - differs from --json FILE")
	}
}

func TestFleetNamesItsFleets(t *testing.T) {
	help := mustRun(t, "fleet", "--help")
	for _, f := range sim.Fleets(1, 1) {
		if !strings.Contains(help, f.Name) {
			t.Errorf("the help does not name %s", f.Name)
		}
	}
}
