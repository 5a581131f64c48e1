package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	o := options{rounds: 5}
	got := o.table([]row{{list: list{about: "work"}, best: 4, took: map[string]float64{"4": 2, coldWay: 3, warmWay: 2.1, "xargs": 2}}})
	if want := "| work | 4 | 2.00 | 1.50 | 1.05 | – | 1.00 | – |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the row %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil || !strings.Contains(string(text), "<!-- finite -->\n") || !strings.Contains(string(text), "<!-- end of finite -->") {
		t.Errorf("%s has no place for the table: %v", page, err)
	}
}

// What was learnt is there for the warm way, doubled for the stale one, and gone for the cold one.
func TestStates(t *testing.T) {
	s, err := newStates(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	file := func(way string) string { return filepath.Join(s.of(way), "sweetspot", "run", "1.json") }
	for _, way := range []string{coldWay, warmWay} {
		if err := os.MkdirAll(filepath.Dir(file(way)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file(way), []byte(`{"limit":3,"rate":0.5}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for way, want := range map[string]string{coldWay: "", warmWay: `{"limit":3,"rate":0.5}`, staleWay: `{"limit":6,"rate":1}`} {
		if err := s.ready(way); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(file(way)); string(got) != want {
			t.Errorf("%s begins with %q, want %q", way, got, want)
		}
	}
}

// All that is written at a time shares one line.
func TestLine(t *testing.T) {
	l := &line{rate: 1e6}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began, done := time.Now(), make(chan struct{}, 4)
	for range 4 {
		go func() {
			for range 5 {
				l.pass(1000)
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		select {
		case <-done:
		case <-ctx.Done():
			t.Fatal("it stands still")
		}
	}
	if took := time.Since(began); took < 19*time.Millisecond {
		t.Errorf("20 kB passed in %v, want 20 ms", took)
	}
}
