package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

func TestPlottedScenariosExist(t *testing.T) {
	for name := range plotted {
		found := false
		for _, s := range sim.Scenarios() {
			found = found || s.Name == name
		}
		if !found {
			t.Errorf("there is no scenario %q", name)
		}
	}
}

func TestPictureIsWellFormed(t *testing.T) {
	s := sim.Scenarios()[0]
	r, err := sim.Run(s, 1, control.NewFixed(3))
	if err != nil {
		t.Fatal(err)
	}
	svg := draw("1 < 2 & so on", s, r)
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
	for _, want := range []string{"1 &lt; 2 &amp; so on", "N*, the sweet spot", "share of the best throughput", "prefers-color-scheme", ">20 s<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
}

// A step keeps its value until the next one, and what is outside the scale
// stays in the panel.
func TestLine(t *testing.T) {
	p := newPicture("", 10)
	p.panel("", 100, 100, linearScale(0, 1), nil)
	p.line("limit", steps{}.add(0, 0.5).add(2, 0.5).add(5, 7), "")
	if want := "M60.0 150.0H430.0V100.0H800.0"; !strings.Contains(p.end(), want) {
		t.Errorf("the picture has no %q", want)
	}
}

func TestOctaveTicks(t *testing.T) {
	for octaves, want := range map[int]string{3: "1 2 4 8", 10: "1 4 16 64 256 1024"} {
		var labels []string
		for _, k := range octaveTicks(octaves) {
			labels = append(labels, k.label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%d octaves: got %s, want %s", octaves, got, want)
		}
	}
}
