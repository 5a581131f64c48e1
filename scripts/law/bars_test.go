package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/sim"
)

const barsFile = "../../cmd/sweetspot/internal/simcmd/bars.go"

// Every scenario that the law is judged on has its bars.
func TestBarsAreRead(t *testing.T) {
	list, err := readBars(barsFile)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range list.each {
		names = append(names, b.scenario)
		if len(b.want) == 0 {
			t.Errorf("%s: no bar is asked for", b.scenario)
		}
		for f, x := range b.want {
			if math.IsNaN(x) || x <= 0 {
				t.Errorf("%s, %s: %v", b.scenario, f, x)
			}
		}
	}
	for _, s := range sim.Scenarios() {
		if !slices.Contains(names, s.Name) {
			t.Errorf("%s has no bars; there are %v", s.Name, names)
		}
	}
}

func TestMissedBarsAreNamed(t *testing.T) {
	list := bars{
		constants: map[string]float64{"minMean": 0.9, "minMeanWorst": 0.9, "minRun": 0.5, "maxRatio": 2},
		each: []bar{
			{"a", map[string]float64{"score": 0.9, "t95": 1}, true},
			{"b", map[string]float64{"last": 0.9, "recover": 3}, true},
			{"c", map[string]float64{"ratio": 2}, false},
			{"d", nil, false},
		},
	}
	rows := []row{
		{Name: "a", Score: 0.95, Worst: 0.95, T95: figure(math.Inf(1))},
		{Name: "b", Score: 0.8, Worst: 0.8, Last: 0.5, Recover: 2},
		{Name: "c", Ratio: 2},
	}
	want := "a: t95|b: last|d: not run|all: mean|all: mean of worst" // (0.95+0.8)/2 is below 0.9
	if got := strings.Join(list.missed(rows), "|"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	rows[1].Score, rows[1].Worst, rows[1].Last = 1, 1, 1
	rows[0].T95 = 0.5
	if got := list.missed(rows); len(got) != 1 || got[0] != "d: not run" {
		t.Errorf("got %v, want only what was not run", got)
	}
}

func TestBrokenBars(t *testing.T) {
	for src, want := range map[string]string{
		"package p\n": "allBars",
		"package p\ntype bars struct{ score float64 }\nvar allBars = []bars{{1}}\n":                                                                      "minMean",
		"package p\nconst (\nminMean = 1\nminMeanWorst = 1\nminRun = 1\nmaxRatio = 1\n)\ntype bars struct{ score float64 }\nvar allBars = []bars{{x}}\n": "field score",
		"not Go": "expected",
	} {
		file := filepath.Join(t.TempDir(), "bars.go")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readBars(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", src, err, want)
		}
	}
}

// Times that never come survive the way through JSON.
func TestFiguresAsJSON(t *testing.T) {
	b, err := json.Marshal([]row{{Name: "a", Score: 0.5, T95: figure(math.Inf(1)), Recover: figure(math.NaN())}})
	if err != nil {
		t.Fatal(err)
	}
	var got []row
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if r := got[0]; r.Score != 0.5 || !math.IsInf(float64(r.T95), 1) || !math.IsNaN(float64(r.Recover)) {
		t.Errorf("%s came back as %+v", b, r)
	}
}
