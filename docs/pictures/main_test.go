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
		if got := strings.Count(string(svg), `d="M`) - strings.Count(string(svg), `class="grid"`); got < 2*lines {
			t.Errorf("%s: got %d lines and legends, want %d at least", name, got, 2*lines)
		}
		if strings.Contains(string(svg), "NaN") {
			t.Errorf("%s has a point that is no number", name)
		}
	}
}

func TestSteps(t *testing.T) {
	got := steps{}.add(0, 1).add(2, 1).add(3, 5).until(9)
	want := []dot{{0, 1}, {3, 1}, {3, 5}, {9, 5}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("point %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestScenarioUnknown(t *testing.T) {
	if _, err := scenario("nowhere"); err == nil {
		t.Error("a scenario that is not there was found")
	}
}
