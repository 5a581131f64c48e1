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
	for _, want := range []string{"1 &lt; 2 &amp; so on", "N*, the sweet spot", "share of the best throughput", "prefers-color-scheme", ">seconds<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
}
