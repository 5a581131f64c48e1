package simcmd_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	out := mustRun(t, "--file", "-", "--controller", "fixed:1,fixed", "--seeds", "4,7-8", "--json", file)
	if !strings.Contains(out, "fixed(1), 3 seeds") {
		t.Error("the tables are gone")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	if d["version"] != 2.0 || d["controller"] != "fixed(1)" || len(d["seeds"].([]any)) != 3 || d["seeds"].([]any)[2] != 8.0 {
		t.Errorf("version %v, controller %v, seeds %v", d["version"], d["controller"], d["seeds"])
	}
	rows := d["scenarios"].([]any)
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	var sum, worst float64
	lowest := math.Inf(1)
	for _, r := range rows {
		row := r.(map[string]any)
		for _, key := range []string{"nstar", "score", "worst", "last", "ratio", "act", "never_t95", "never_recovered"} {
			if _, ok := row[key].(float64); !ok {
				t.Errorf("%v: %s is %v", row["name"], key, row[key])
			}
		}
		for _, key := range []string{"t95", "recover", "settled"} {
			if x, ok := row[key]; !ok || x != nil {
				t.Errorf("%v: %s is %v, want null", row["name"], key, x)
			}
		}
		sum += row["score"].(float64) / 2
		worst += row["worst"].(float64) / 2
		lowest = min(lowest, row["worst"].(float64))
	}
	if d["mean"] != sum || d["mean_worst"] != worst || d["min"] != lowest {
		t.Errorf("mean %v, mean_worst %v, min %v; want %v, %v, %v", d["mean"], d["mean_worst"], d["min"], sum, worst, lowest)
	}
	quick, stepped := rows[0].(map[string]any), rows[1].(map[string]any)
	if quick["name"] != "quick" || quick["nstar"] != 2.0 || quick["never_t95"] != 3.0 || quick["never_recovered"] != 0.0 || stepped["never_recovered"] != 3.0 {
		t.Errorf("%v\n%v", quick, stepped)
	}
	others := d["controllers"].([]any)
	if len(others) != 1 || others[0].(map[string]any)["controller"] != "fixed(P)" {
		t.Fatalf("controllers %v", others)
	}
	if q := others[0].(map[string]any)["scenarios"].([]any)[0].(map[string]any); q["t95"] != 0.0 || q["score"] != 1.0 {
		t.Errorf("fixed(P): %v", q)
	}
	if piped := mustRun(t, "--file", "-", "--controller", "fixed:1,fixed", "--seeds", "4,7-8", "--json", "-"); piped != string(b) {
		t.Error("--json - differs from --json FILE")
	}
}
