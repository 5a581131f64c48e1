package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// The published pictures show what the law does now.
func TestPublishedPlotsAreCurrent(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
		t.Skip("fused multiply-adds round a few steps of the law differently here")
	}
	dir := t.TempDir()
	if err := drawPlots(dir); err != nil {
		t.Fatal(err)
	}
	for name := range plotted {
		file := "search-" + name + ".svg"
		drawn, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Error(err)
			continue
		}
		published, err := os.ReadFile(filepath.Join("../../control", file))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(drawn, published) {
			t.Errorf("control/%s is old: run `go run ./scripts/law plot`", file)
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
