package report_test

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

func TestPictures(t *testing.T) {
	f := sample(t)
	ps := report.Pictures(f)
	var names []string
	for _, p := range ps {
		names = append(names, p.Name)
		d := xml.NewDecoder(strings.NewReader(p.SVG))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
		}
		if !strings.Contains(p.SVG, "<style>") || !strings.Contains(p.SVG, "Made-up CPU @ 3.00GHz, 2 CPUs") {
			t.Errorf("%s has no style, or does not say where it was measured", p.Name)
		}
	}
	// A6 has lines far apart, A9 and C5 have points aside, C6 failed.
	want := []string{"overview.svg", "a6.svg", "a6-2.svg", "a9.svg", "a9-2.svg", "b4.svg", "c2.svg", "c5.svg", "c5-2.svg", "d2.svg", "d5.svg"}
	if !slices.Equal(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
}

func picture(t *testing.T, f *figures.File, name string) string {
	t.Helper()
	for _, p := range report.Pictures(f) {
		if p.Name == name {
			return p.SVG
		}
	}
	t.Fatalf("no picture %s", name)
	return ""
}

// The number of CPUs is marked where the axis counts what runs at a time, and
// nowhere else.
func TestPicturesMarkTheCPUs(t *testing.T) {
	f := sample(t)
	for name, want := range map[string]bool{"a6.svg": true, "a9.svg": true, "c2.svg": true, "b4.svg": false, "d2.svg": false} {
		if got := strings.Contains(picture(t, f, name), ">2 CPUs<"); got != want {
			t.Errorf("%s: marked: %v, want %v", name, got, want)
		}
	}
}

// Lines that are far apart would look level in one picture, so they have two; each
// has its own trend and ours goes to the nearer one.
func TestPicturesKeepLinesApart(t *testing.T) {
	f := sample(t)
	first, second := picture(t, f, "a6.svg"), picture(t, f, "a6-2.svg")
	for _, want := range []string{">Do<", ">Map<", ">line through Do<"} {
		if !strings.Contains(first, want) || strings.Contains(second, want) {
			t.Errorf("%s is not in the first picture, or also in the second", want)
		}
	}
	if strings.Contains(first, ">Do, empty units<") || !strings.Contains(second, ">Do, empty units<") {
		t.Error("the second picture has not the other line")
	}
	// Closer ones are compared in one.
	for i := range f.Experiments[0].Points {
		if p := &f.Experiments[0].Points[i]; p.Label == "Do, empty units" {
			p.Y, p.Low, p.High = 4*p.Y, 4*p.Low, 4*p.High
		}
	}
	if svg := picture(t, f, "a6.svg"); !strings.Contains(svg, ">Do, empty units<") || !strings.Contains(svg, ">Do<") {
		t.Error("lines that are close have pictures of their own")
	}
}

// Of what is beside an experiment's own measure nothing is said to be better.
func TestPicturesAside(t *testing.T) {
	f := sample(t)
	if svg := picture(t, f, "a9-2.svg"); strings.Contains(svg, "is better") || !strings.Contains(svg, ">allocs/unit<") {
		t.Error("the picture aside is of another unit, or says which way is better")
	}
	if svg := picture(t, f, "a9.svg"); !strings.Contains(svg, "ms, lower is better") {
		t.Error("the picture does not say which way is better")
	}
	if svg := picture(t, f, "c5.svg"); !strings.Contains(svg, "requests/s, higher is better (logarithmic)") {
		t.Error("the picture does not say which way is better")
	}
}

// Points of the same label have names of their own among dots.
func TestPicturesTellPointsApart(t *testing.T) {
	f := sample(t)
	e := &f.Experiments[0]
	e.Axis = figures.Axis{}
	e.Points = []figures.Point{
		{Label: "channel", Y: 1, Low: 1, High: 1, CPUs: 1, Samples: []float64{1}},
		{Label: "channel", Y: 2, Low: 2, High: 2, CPUs: 2, Samples: []float64{2}},
		{Label: "mutex", Y: 3, Low: 3, High: 3, CPUs: 2, Samples: []float64{3}},
	}
	svg := picture(t, f, "a6.svg")
	for _, want := range []string{">channel, GOMAXPROCS 1<", ">channel, GOMAXPROCS 2<", ">mutex<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
}
