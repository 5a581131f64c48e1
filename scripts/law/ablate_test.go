package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

func TestTableIsSortedByCost(t *testing.T) {
	got := table([]outcome{
		{rule: rule{Name: "(all)"}, Mean: 0.99, MeanWorst: 0.98, Worst: 0.93, Together: 0.9, TogetherWorst: 0.8, Missed: []miss{{Scenario: "c", Figure: "act", got: 0.8}}},
		{rule: rule{Name: "cheap"}, Mean: 0.985, MeanWorst: 0.98, Worst: 0.93, Together: 0.9, TogetherWorst: 0.8},
		{rule: rule{Name: "dear", Purpose: "help"}, Mean: 0.98, MeanWorst: 0.90, Worst: 0.10, Together: 0.9, TogetherWorst: 0.8, Missed: []miss{{Scenario: "a", Figure: "last"}, {Scenario: "b", Figure: "t95"}, {Scenario: "c", Figure: "act", got: 0.7}}},
		{rule: rule{Name: "harmful"}, Mean: 0.995, MeanWorst: 0.98, Worst: 0.93, Together: 0.9, TogetherWorst: 0.8},
		{rule: rule{Name: "social"}, Mean: 0.99, MeanWorst: 0.98, Worst: 0.93, Together: 0.5, TogetherWorst: 0.4},
	})
	want := `| without | it is there to | mean of medians | mean of worst | worst run | companies: mean | of worst | more bars missed |
|---|---|---|---|---|---|---|---|
| (all) |  | 0.9900 | 0.9800 | 0.930 | 0.9000 | 0.8000 |  |
| social |  | 0.9900 | 0.9800 | 0.930 | 0.5000 | 0.4000 |  |
| dear | help | 0.9800 | 0.9000 | 0.100 | 0.9000 | 0.8000 | a: last; b: t95 |
| cheap |  | 0.9850 | 0.9800 | 0.930 | 0.9000 | 0.8000 |  |
| harmful |  | 0.9950 | 0.9800 | 0.930 | 0.9000 | 0.8000 |  |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOutcomeIsOverAllScenariosAndCompanies(t *testing.T) {
	o := newOutcome(&sim.Verdict{Mean: 0.9, MeanWorst: 0.8, Min: 0.7}, []sim.CompanyRow{{Score: 0.75, Worst: 0.5}, {Score: 0.25}})
	if o.Mean != 0.9 || o.MeanWorst != 0.8 || o.Worst != 0.7 || o.Together != 0.5 || o.TogetherWorst != 0.25 {
		t.Errorf("got %+v, want means 0.9 and 0.8, worst 0.7; companies 0.5 and 0.25", o)
	}
}

func TestInsertReplacesTheTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures.md")
	if err := os.WriteFile(file, []byte("above\n"+tableBegins+"old\n"+tableEnds+"below\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time finds what the first left
		if err := insert(file, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if want := "above\n" + tableBegins + "new\n" + tableEnds + "below\n"; err != nil || string(b) != want {
		t.Errorf("got %q, %v, want %q", b, err, want)
	}
	if err := os.WriteFile(file, []byte("no marks\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := insert(file, "new\n"); err == nil || !strings.Contains(err.Error(), "ablations: begin") {
		t.Errorf("without marks: got %v, want an error that names them", err)
	}
}

// An outcome survives the way from the process that judges, with bars that are missed for ever.
func TestOutcomeAsJSON(t *testing.T) {
	o := outcome{Mean: 0.5, Missed: []miss{{Scenario: "a", Figure: "t95", got: math.Inf(1)}, {Scenario: "a", Figure: "recover", got: math.NaN()}}}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var got outcome
	if err := json.Unmarshal(b, &got); err != nil || got.String() != o.String() {
		t.Errorf("%s came back as %v, %v", b, got, err)
	}
}

// The page has the marks, so that -write cannot fail after an hour's work.
func TestPageHasThePlace(t *testing.T) {
	b, err := os.ReadFile("../../control/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	i, j := strings.Index(string(b), tableBegins), strings.Index(string(b), tableEnds)
	if i < 0 || j < i {
		t.Errorf("want %q and then %q", tableBegins, tableEnds)
	}
}

func TestCommandLine(t *testing.T) {
	inRoot(t)
	for _, test := range []struct{ args, want string }{
		{"", "plot, bars, ablate or judge"},
		{"draw", "plot, bars, ablate or judge"},
		{"plot now", `no argument "now"`},
		{"judge -seeds 5-1", "want numbers and ranges"},
		{"judge -seeds x", "want numbers and ranges"},
		{"ablate -write -rule pool", "leave out -rule"},
		{"ablate -rule no-such-rule", "want one of"},
	} {
		err := run(strings.Fields(test.args))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("law %s: got %v, want an error with %q", test.args, err, test.want)
		}
	}
	t.Chdir("control")
	if err := run([]string{"plot"}); err == nil || !strings.Contains(err.Error(), "root of the repository") {
		t.Errorf("elsewhere: got %v, want an error that says where to run", err)
	}
}
