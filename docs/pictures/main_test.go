package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var drawn bool // the pictures, in this process

// Both pictures are drawn, are well-formed, and show what they are about.
func TestWrite(t *testing.T) {
	if drawn {
		t.Skip("they were right on another number of CPUs")
	}
	t.Cleanup(func() { drawn = !t.Failed() })
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string]int{"curves.svg": len(drawnCurves), "laws.svg": len(drawnLaws)} {
		svg, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if got := strings.Count(string(svg), `<path class="line`); got < 2*lines {
			t.Errorf("%s: got %d lines and legends, want %d at least", name, got, 2*lines)
		}
		if strings.Contains(string(svg), "NaN") {
			t.Errorf("%s has a point that is not a number", name)
		}
	}
}

func TestScenarioUnknown(t *testing.T) {
	if _, err := scenario("nowhere"); err == nil {
		t.Error("a scenario that is not there was found")
	}
}
