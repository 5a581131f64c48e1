package main_test

import (
	"strings"
	"testing"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

func TestReport(t *testing.T) {
	v := world.Judge([]int{1, 4, 16}, round(1, 1.5, world.NewAutoSample(6, 100, 110, 120)))
	v.Work, v.About = "bank", "a transaction"
	got := world.Report(v)
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
	if got := world.Report(); got != "" {
		t.Errorf("of nothing: %q, want nothing", got)
	}
}
