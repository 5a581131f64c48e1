package main_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

var sample = peers.NewSample

// Ratios are formed within a round: a machine that is half as fast in one of
// them changes nothing.
func TestRatiosAreOfTheirRound(t *testing.T) {
	v := peers.View(2,
		sample("g", "a", "c", 1, 10), sample("g", "b", "c", 1, 20),
		sample("g", "a", "c", 2, 40), sample("g", "b", "c", 2, 60),
		sample("g", "a", "c", 3, 12), sample("g", "b", "c", 3, 18),
		sample("g", "a", "c", 4, 1), // no partner
	)
	if got := v.Ratio("b", "a", "c"); got != 1.5 {
		t.Errorf("ratio %v, want 1.5, the median of 2, 1.5 and 1.5", got)
	}
	if got := v.Ratio("b", "none", "c"); !math.IsNaN(got) {
		t.Errorf("ratio to nothing %v, want NaN", got)
	}
	if row, x := v.Best([]string{"none", "b", "a"}, "c", "b"); row != "a" || x != 1/1.5 {
		t.Errorf("best is %s with %v, want a", row, x)
	}
	if row, x := v.Best([]string{"none"}, "c", "b"); row != "" || !math.IsNaN(x) {
		t.Errorf("best of nothing is %q with %v", row, x)
	}
}

// TestAgainstBest: a peer that is lucky in half of the rounds is not compared there.
func TestAgainstBest(t *testing.T) {
	var samples []peers.Sample
	for round := range 10 {
		lucky, steady := 50.0, 100.0
		if round%2 == 0 {
			lucky = 150
		}
		samples = append(samples,
			peers.NewSample("g", "ours", "c", round, 100),
			peers.NewSample("g", "lucky", "c", round, lucky),
			peers.NewSample("g", "steady", "c", round, steady))
	}
	best, ratios := peers.View(2, samples...).AgainstBest("ours", []string{"lucky", "steady"}, "c", "ours")
	slices.Sort(ratios)
	// In the odd rounds, the even ones' best is steady; in the even ones, lucky.
	if want := []float64{1 / 1.5, 1 / 1.5, 1 / 1.5, 1 / 1.5, 1 / 1.5, 1, 1, 1, 1, 1}; !slices.Equal(ratios, want) {
		t.Errorf("against %s: %v, want %v", best, ratios, want)
	}
	if _, ratios := peers.View(2, samples[:3]...).AgainstBest("ours", []string{"lucky", "steady"}, "c", "ours"); len(ratios) != 1 || ratios[0] != 1 {
		t.Errorf("of one round: %v, want 1", ratios)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		got, low, limit float64
		want            string
	}{
		{1.07, 1.05, 1.07, "met"},
		{1.08, 1.08, 1.07, "**NOT MET**"},
		{1.08, 1.06, 1.07, "not met, within the noise"},
		{peers.NaN, peers.NaN, 1, "not measured"},
		{-3, -3, 1, "met"},
	} {
		if got := peers.Verdict(c.got, c.low, c.limit); got != c.want {
			t.Errorf("%v at a bar of %v: %s, want %s", c.got, c.limit, got, c.want)
		}
	}
}

func ExampleGrid() {
	cells := map[string]string{"a1": "11", "b1": "21", "b3": "23"}
	peers.Grid(os.Stdout, []string{"a", "b", "c"}, []string{"1", "2", "3"}, func(row, column string) string { return cells[row+column] })
	// Output:
	// caption:
	//
	// |  | 1 | 3 |
	// |---|--:|--:|
	// | a | 11 | – |
	// | b | 21 | 23 |
}

func ExampleSpan() {
	for _, ns := range []float64{0.5, 12.34, 1500, 2.5e6, 3e9, peers.NaN} {
		fmt.Printf("%q ", peers.Span(ns))
	}
	fmt.Println(peers.Signed(-1500), "and", peers.Signed(3))
	// Output: "0.5 ns" "12.3 ns" "1.5 µs" "2.5 ms" "3 s" "" - 1.5 µs and + 3 ns
}

func ExampleFactor() {
	fmt.Printf("%q %q %q %q", peers.Factor(1.066), peers.Factor(12.34), peers.Factor(123.4), peers.Factor(peers.NaN))
	// Output: "1.07" "12.3" "123" ""
}

func ExampleCount() {
	fmt.Printf("%q %q %q %q", peers.Count(3), peers.Count(6.5), peers.Count(123.4), peers.Count(peers.NaN))
	// Output: "3" "6.5" "123" ""
}

func TestReport(t *testing.T) {
	var text strings.Builder
	err := peers.Report(&text, "grains", 2,
		sample("grains", "loop", "1 µs", 1, 200), sample("grains", "halves", "1 µs", 1, 100),
		sample("grains", "Map", "1 µs", 1, 106), sample("grains", "conc iter", "1 µs", 1, 90),
		sample("grains", "loop", "10 µs", 1, 200), sample("grains", "halves", "10 µs", 1, 100),
		sample("grains", "Map", "10 µs", 1, 120),
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Map, items of 1 µs | ≤ 1.07 x halves | 1.06 | met |",
		"| Map, items of 10 µs | ≤ 1.07 x halves | 1.20 | **NOT MET** |",
		"| Map, items of 1 ms | ≤ 1.07 x halves | – | not measured |",
		"| Map, items of 1 µs | ≤ 1.03 x the best peer (conc iter) | 1.18 | **NOT MET** |",
		"- Items of 1 µs, GOMAXPROCS=2, time as a multiple of Map's: conc iter 0.85.",
		"- Map, items of 10 µs: 1.20, want ≤ 1.07 x halves.",
		"|  | 1 µs | 10 µs |",
		"| loop | 2.00 | 2.00 |",
		"| conc iter | 1.11 | – |", // efficiency of 200/(2*90)
		"7 samples in 1 rounds",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not say %s", want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}
