package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

func TestReport(t *testing.T) {
	v := world.Judge([]int{1, 4, 16}, round(1, 1.5, world.NewAutoSample(6, 100, 110, 120)))
	v.Work, v.About = "bank", "a transaction"
	file := filepath.Join(t.TempDir(), "world.json")
	got, err := world.Report(file, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nbank: a transaction\n",
		"; shares of the best fixed number, chosen in each half of the round and compared in the other half\n",
		"\n        4      123.8    0.990   0.0 %\n",
		"\n| work | best | best/s | N* | 0–30 s | 0–60 s | 40–60 s | limit | refused | drift | others |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n" +
			"| bank | 16 | 125.0 | 4 | 0.800 | 0.880 | 0.960 | 6.0 | 0.00 % | 1.500 | ? |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Version  int
		Law      string
		Verdicts []struct {
			Work   string
			NStar  int
			Shares []float64
			Fixed  []struct{ N int }
			Others *float64
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if len(d.Verdicts) != 1 || d.Version != 1 || d.Law != "search" || d.Verdicts[0].NStar != 4 || len(d.Verdicts[0].Shares) != 3 ||
		len(d.Verdicts[0].Fixed) != 3 || d.Verdicts[0].Others != nil {
		t.Errorf("%s: got %+v", data, d)
	}
	if got, err := world.Report(file); got != "" || err != nil {
		t.Errorf("of nothing: %q, %v; want nothing", got, err)
	}
}
