package plot_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/plot"
)

func course() *plot.Course {
	times := []float64{0.1, 0.2, 0.3, 0.4}
	return &plot.Course{
		Title: "E8  What laws do", Caption: "A machine, 2 CPUs",
		Panels: []plot.Panel{
			{Name: "throughput", Unit: "units/s", Traces: []plot.Trace{
				{Name: "a law <1>", Times: times, Values: []float64{10, 20, 30, 25}},
				{Name: "ours", Ours: true, Times: times, Values: []float64{20, 30, 31, 30}},
			}},
			{Name: "CPU usage", Unit: "%", Traces: []plot.Trace{
				{Name: "a law <1>", Times: times, Values: []float64{50, 60, 70, 80}},
				{Name: "a law <1>", Goal: true, Times: times, Values: []float64{-100, 62, 72, 102}},
				{Name: "ours", Ours: true, Times: times[:2], Values: []float64{50, 90}},
			}},
			{Name: "limit", Unit: "at a time", Traces: []plot.Trace{
				{Name: "a law <1>", Times: times, Values: []float64{1, 10, 100, 1000}},
				{Name: "another law", Times: times, Values: []float64{1, math.NaN(), 3, math.Inf(1)}},
				{Name: "nobody"},
			}},
		},
	}
}

func heat() *plot.Heat {
	h := &plot.Heat{Title: "Score by gain & rate", X: "gain", Y: "change rate", Measure: plot.Measure{Unit: "of the best", Better: "higher"}}
	for _, x := range []float64{0.5, 0.05, 0.1} { // in any order
		for _, y := range []float64{0.1, 0.3} {
			h.Cells = append(h.Cells, plot.Cell{X: x, Y: y, Value: x + y})
		}
	}
	return h
}

func TestCourse(t *testing.T) {
	for _, width := range []int{plot.Wide, plot.Narrow} {
		got := check(t, "course", plot.SVG(course(), width, "c"))
		for _, want := range []string{"ours", "a law <1>", "another law", "dashed: what was aimed at", "throughput, units/s\n", "CPU usage, %\n", "limit, at a time (logarithmic)\n", "seconds"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %q", want, got)
			}
		}
	}
	svg := plot.SVG(course(), plot.Wide, "c")
	if n := strings.Count(svg, `class="line dash thin"`); n != 1 {
		t.Errorf("%d lines are dashed, want that of the goal", n)
	}
	// What is aimed at may be out of reach; the axis is that of what was.
	if strings.Contains(svg, ">-100<") || strings.Contains(svg, ">-50<") {
		t.Error("the goal has stretched the axis")
	}
	if n := strings.Count(svg, `class="ours"`); n != 3 { // in the legend, and in two panels
		t.Errorf("ours is there %d times, want 3", n)
	}
	check(t, "course", plot.Standalone(course()))
	check(t, "empty course", plot.Standalone(&plot.Course{Title: "nothing"}))
	check(t, "empty panel", plot.Standalone(&plot.Course{Title: "nothing", Panels: []plot.Panel{{Name: "limit"}}}))
}

func TestHeat(t *testing.T) {
	for _, width := range []int{plot.Wide, plot.Narrow} {
		svg := plot.SVG(heat(), width, "h")
		got := check(t, "heat", svg)
		if n := strings.Count(svg, `class="cell"`); n != 6 {
			t.Errorf("there are %d fields, want 6", n)
		}
		for _, want := range []string{"of the best, higher is better\n", "change rate\n", "gain", "0.15", "0.80", "0.05\n0.1\n0.5\n", "Score by gain & rate"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %q", want, got)
			}
		}
	}
	check(t, "heat", plot.Standalone(heat()))
	check(t, "empty heat", plot.Standalone(&plot.Heat{Title: "nothing"}))
	odd := heat()
	odd.Cells[0].Value = math.NaN()
	if svg := plot.SVG(odd, plot.Wide, "h"); strings.Count(svg, `class="cell"`) != 5 {
		t.Error("a field without a number is drawn")
	}
	far := heat()
	far.Cells[1].Value = 1000
	if !strings.Contains(check(t, "far", plot.SVG(far, plot.Wide, "h")), "(colours logarithmic)") {
		t.Error("one large value presses the others together")
	}
	same := heat()
	for i := range same.Cells {
		same.Cells[i].Value = 0
	}
	check(t, "same", plot.SVG(same, plot.Wide, "h"))
}
