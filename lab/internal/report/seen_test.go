package report_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

// seen has an experiment with two tasks, what was seen of one over time, and heat.
func seen(t *testing.T) *figures.File {
	f := sample(t)
	point := func(panel, label string, x float64, ours bool) figures.Point {
		return figures.Point{Label: panel + ": " + label, Panel: panel, X: x, Y: 1 + x, Unit: "units/s", Low: 1, High: 9, Samples: []float64{1, 9}, CPUs: 2, Ours: ours}
	}
	e := figures.Experiment{
		ID: "E8", Title: "Pictures", Article: "Another article", About: "It streams.", Claim: "none", Verdict: "one.\ntwo",
		Axis: figures.Axis{Name: "units at a time", Log2: true}, Better: "higher", Rounds: 2,
		Series: []figures.Series{
			{Panel: "search", Label: "a law", Name: "limit", Unit: "at a time", Times: []float64{0.1, 0.2}, Values: []float64{1, 2}},
			{Panel: "search", Label: "ours", Name: "limit", Unit: "at a time", Times: []float64{0.1, 0.2}, Values: []float64{2, 2}, Ours: true},
			{Panel: "search", Label: "a law", Name: "CPU usage", Unit: "%", Times: []float64{0.1, 0.2}, Values: []float64{50, 60}},
		},
		Heat: []figures.Heat{{Title: "Score by gain", X: "gain", Y: "rate", Unit: "of the best", Better: "higher", Cells: []figures.HeatCell{{X: 0.1, Y: 0.3, Value: 0.9}}}},
	}
	for _, panel := range []string{"search", "memory"} {
		e.Points = append(e.Points, point(panel, "fixed number", 1, false), point(panel, "fixed number", 4, false), point(panel, "ours", 0, true))
		beside := point(panel, "ours, median limit", 0, true)
		beside.Aside, beside.Unit = true, "at a time"
		e.Points = append(e.Points, beside)
	}
	f.Experiments = []figures.Experiment{e}
	return f
}

func TestPicturesOfWhatWasSeen(t *testing.T) {
	f := seen(t)
	var names []string
	for _, p := range report.Pictures(f) {
		names = append(names, p.Name)
	}
	if got, want := strings.Join(names, " "), "e8.svg e8-2.svg e8-3.svg e8-seen-1.svg e8-seen-2.svg"; got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	for name, wants := range map[string][]string{
		"e8.svg":        {"E8  Pictures: search", ">fixed number<", "2 rounds"}, // the task is said once
		"e8-2.svg":      {"E8  Pictures: memory"},
		"e8-3.svg":      {"search: ours, median limit", "memory: ours, median limit"},
		"e8-seen-1.svg": {"search, over time", "limit, at a time", "CPU usage, %", ">a law<", "2 rounds"},
		"e8-seen-2.svg": {"Score by gain", "0.90", "of the best, higher is better"},
	} {
		svg := picture(t, f, name)
		for _, want := range wants {
			if !strings.Contains(svg, want) {
				t.Errorf("%s has no %q", name, want)
			}
		}
	}
}

func TestPageShowsWhatWasSeen(t *testing.T) {
	html := page(t, seen(t))
	for _, want := range []string{
		"<figcaption>search</figcaption>", "<figcaption>memory</figcaption>", "<figcaption>search, over time</figcaption>",
		`id="E8-seen-1-wide-title"`, `id="E8-seen-2-narrow-title"`, "<dt>rounds</dt><dd>2", `<span class="words">one.`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if n := strings.Count(html, "<summary>Table of"); n != 3 { // of the pictures that have points
		t.Errorf("there are %d tables of points, want 3", n)
	}
	f := seen(t)
	f.Experiments[0].Error = "it hung"
	if html := page(t, f); strings.Contains(html, "E8-seen") {
		t.Error("what a failed experiment has seen is shown")
	}
}
