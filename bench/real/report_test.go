package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	real "github.com/sweetspot-go/sweetspot/bench/real"
)

var measured = []real.Measured{
	{Round: 1, N: 2, Rate: 188}, {Round: 1, N: 24, Rate: 1950}, {Round: 1, N: 64, Rate: 1960}, {Round: 1, Rate: 1900, Limit: 24},
	{Round: 2, N: 2, Rate: 188}, {Round: 2, N: 24, Rate: 1900, Busy: true}, {Round: 2, N: 64, Rate: 1970}, {Round: 2, Rate: 1800, Limit: 60},
	{Round: 3, N: 2, Rate: 186}, {Round: 3, N: 24, Rate: 2000}, {Round: 3, N: 64, Fail: true}, {Round: 3, Rate: 1940, Limit: 30},
}

const tables = `
mixed: Go tasks of 1 ms computing and 9 ms waiting
        N    units/s  spread
        2      188.0   1.1 %
       24       1950*  5.1 %
       64       1965   0.5 %
     auto       1900   7.4 %  limit in the last third 30.0
  best fixed limit 64: 1965/s; least within 2 % of it: N* = 24
  auto / best    0.969 (rounds 0.969 0.914 0.970; of the medians 0.967): bar 0.95 met
                 the best of a round is chosen in the other rounds
  limit / N*     1.25 (rounds 1.00 2.50 1.25): bar 2 met

workload      N*     best/s  auto / best  limit / N*
mixed         24       1965  0.969 met      1.25 met
* other processes used more than 0.1 CPUs during 1 of 12 samples; -strict repeats such
`

func TestTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.json")
	got, err := real.Tables(measured, file)
	if err != nil {
		t.Fatal(err)
	}
	if got != tables {
		t.Errorf("got:\n%s\nwant:\n%s", got, tables)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Version   int
		Workloads []struct {
			Name    string
			NStar   int
			Ratio   float64
			RateMet bool `json:"rate_met"`
		}
		Samples []map[string]any
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if w := d.Workloads; len(w) != 1 || w[0].Name != "mixed" || w[0].NStar != 24 || w[0].Ratio != 1900./1960 || !w[0].RateMet {
		t.Errorf("JSON: %+v", w)
	}
	if d.Version != 1 || len(d.Samples) != 12 || d.Samples[1]["rate"] != 1950. || d.Samples[10]["error"] != "broken" {
		t.Errorf("JSON: version %d, samples %v", d.Version, d.Samples)
	}
}

// An interrupted run has no verdict but still a table, and JSON can hold it.
func TestTablesOfAnInterruptedRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.json")
	got, err := real.Tables([]real.Measured{{Round: 1, Rate: 1900, Limit: 24}}, file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `
mixed: Go tasks of 1 ms computing and 9 ms waiting
        N    units/s  spread
     auto       1900   0.0 %
  no verdict: it takes both the automatic and a fixed limit

workload      N*     best/s  auto / best  limit / N*
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTheLeastDisturbedAttemptCounts(t *testing.T) {
	for _, c := range []struct {
		after        float64
		failedAfter  bool
		before       float64
		failedBefore bool
		want         bool
	}{
		{0.2, false, 0.5, false, true},
		{0.5, false, 0.2, false, false},
		{0.5, false, 0.2, true, true},
		{0.2, true, 0.5, false, false},
		{0.2, false, -1, false, true},
		{-1, false, 0.2, false, false},
	} {
		if got := real.BetterThan(c.after, c.failedAfter, c.before, c.failedBefore); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
