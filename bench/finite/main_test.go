package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// TestMain lets the tests play a job.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == holdCommand {
		program.Exit(holdCommand, hold(os.Args[2]))
	}
	os.Exit(m.Run())
}

func TestTable(t *testing.T) {
	var o options
	got := o.table([]row{{list: list{about: "work"}, best: 4, rounds: 5, took: map[string]float64{"4": 2, coldWay: 3, warmWay: 2.1, "xargs": 2}}}).String()
	if want := "| work | 4 | 2.00 | 1.50 | 1.05 | – | 1.00 | – |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the row %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil || !strings.Contains(string(text), "<!-- finite -->\n") || !strings.Contains(string(text), "<!-- end of finite -->") {
		t.Errorf("%s has no place for the table: %v", page, err)
	}
}

func TestMemoryTable(t *testing.T) {
	got := memoryTable([]row{{list: list{about: "work"}, best: 3, rounds: 5, took: map[string]float64{"3": 2, coldWay: 3, warmWay: 2.1}, kills: map[string]int{warmWay: 1}}}).String()
	if want := "| work | 3 | 2.00 | 1.50 | 1.05 | 0 | 1 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want the row %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil || !strings.Contains(string(text), "<!-- memory -->\n") || !strings.Contains(string(text), "<!-- end of memory -->") {
		t.Errorf("%s has no place for the table: %v", page, err)
	}
}

// What one part has measured counts in the next: for a list in memory, that of the sweep, too.
func TestTally(t *testing.T) {
	dir := t.TempDir()
	work, hogs := list{name: "work"}, list{name: "hogs", memory: 1}
	for _, l := range []list{work, hogs} {
		for i := range 3 {
			a, err := newTally(l, dir)
			if err != nil {
				t.Fatal(err)
			}
			if a.done() != i {
				t.Fatalf("%s: %d rounds are known, want %d", l.name, a.done(), i)
			}
			for _, s := range []sample{
				{Way: "4", Sweep: true, Seconds: 10}, {Way: "4", Seconds: float64(i), Killed: 1}, {Way: coldWay, Seconds: 1},
			} {
				if err := a.add(s); err != nil {
					t.Fatal(err)
				}
			}
			a.close()
		}
	}
	for _, c := range []struct {
		list list
		want float64 // the median
	}{{work, 1}, {hogs, 6}} {
		a, err := newTally(c.list, dir)
		if err != nil {
			t.Fatal(err)
		}
		a.close()
		if got := a.median("4"); got != c.want || a.kills["4"] != 3 {
			t.Errorf("%s: median %g, %d killed; want %g and 3", c.list.name, got, a.kills["4"], c.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, samplesFile), []byte("{\"list\":1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newTally(work, dir); err == nil || !strings.Contains(err.Error(), "want one sample a line") {
		t.Errorf("a damaged file: %v", err)
	}
}

func TestCaption(t *testing.T) {
	if got := caption([]row{{rounds: 5}, {rounds: 3}, {rounds: 4}}); !strings.HasSuffix(got, ", 3 to 5 rounds.") {
		t.Error(got)
	}
}

// Each round has an order of its own, the same for all ways.
func TestShuffled(t *testing.T) {
	values := numbered(40)
	first, again, second := shuffled(values, 1), shuffled(values, 1), shuffled(values, 2)
	if !slices.Equal(first, again) || slices.Equal(first, second) || slices.Equal(first, values) {
		t.Errorf("orders of a round: %v and %v; of the next: %v", first, again, second)
	}
	if slices.Sort(first); !slices.Equal(first, slices.Sorted(slices.Values(values))) {
		t.Errorf("other values: %v", first)
	}
}

// A job holds what it says, for as long as it says.
func TestHold(t *testing.T) {
	began := time.Now()
	if err := hold("1,0.02"); err != nil || time.Since(began) < 20*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	for _, bad := range []string{"", "1", "x,1", "1,x"} {
		if hold(bad) == nil {
			t.Errorf("%q is taken for a job", bad)
		}
	}
}

// Jobs that need more than a group has are killed, counted, and left out of the best numbers.
func TestGroup(t *testing.T) {
	g, err := newGroup(32 << 20)
	if err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := g.close(); err != nil {
			t.Error(err)
		}
	}()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for mb, want := range map[string]int{"4": 0, "64": 1} {
		before, err := g.kills()
		if err != nil {
			t.Fatal(err)
		}
		argv := g.wrap([]string{self, holdCommand, mb + ",0.1"})
		out, failed := exec.CommandContext(t.Context(), argv[0], argv[1:]...).CombinedOutput()
		after, err := g.kills()
		if err != nil || after-before != want || (failed != nil) != (want > 0) {
			t.Errorf("%s MB of 32: %d killed, %v, %v, %s", mb, after-before, err, failed, out)
		}
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
