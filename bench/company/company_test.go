package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// TestMain lets the program start itself, as it does outside of tests.
func TestMain(m *testing.M) {
	if played, err := play(os.Args[1:]); played {
		program.Exit("company", err)
	}
	os.Exit(m.Run())
}

func TestParseFlags(t *testing.T) {
	o, err := parseFlags([]string{"-quick", "-only", "shared,runs2", "-auto", "20s"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range o.situations {
		names = append(names, s.name)
	}
	if got, want := strings.Join(names, " "), "shared2 shared10 runs2 runs2-named"; got != want {
		t.Errorf("-only takes %s, want %s", got, want)
	}
	if o.rounds != 1 || o.auto != 20*time.Second || o.fixed != 2*time.Second || o.jobs != 0.3 {
		t.Errorf("%+v", o)
	}
	for want, args := range map[string][]string{
		"no situation begins with \"x\": want some of computing,": {"-only", "x"},
		"no situation begins with \"\"":                           {"-only", "ten,"},
		"want a second or more":                                   {"-fixed", "0.5s"},
		"-rounds 0: want 1 or more":                               {"-rounds", "0"},
		"-jobs 2: want 0.01 to 1":                                 {"-jobs", "2"},
		"is left over":                                            {"ten"},
		"not defined":                                             {"-law", "x"},
	} {
		if _, err := parseFlags(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want an error with %q", args, err, want)
		}
	}
	if _, err := parseFlags([]string{"-h"}, io.Discard); err != flag.ErrHelp {
		t.Error(err)
	}
}

func TestSituationsAreSound(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range situations() {
		if seen[s.name] || s.about == "" || s.processes < 1 || len(s.numbers) == 0 {
			t.Errorf("%+v", s)
		}
		seen[s.name] = true
		if asks := s.crew.Work == askWork || s.jobs > 0; asks != (s.server != nil) {
			t.Errorf("%s: a server and nobody who asks, or the other way round", s.name)
		}
	}
}

// A server serves so many at a time, first come, first served, and slows down when crowded.
func TestServer(t *testing.T) {
	for _, c := range []struct{ present, want int }{{1, 20}, {160, 20}, {320, 40}} {
		if got, want := crowded.takes(0.5, c.present), time.Duration(c.want)*time.Millisecond; got != want {
			t.Errorf("with %d there a unit takes %v, want %v", c.present, got, want)
		}
	}
	if got, want := plain.takes(0.5, 1000), 150*time.Millisecond; got != want {
		t.Errorf("a unit takes %v, want %v", got, want)
	}
	synctest.Test(t, func(t *testing.T) {
		d := &desk{server: &server{places: 4, service: 10}, free: make(chan struct{}, 4)}
		done := make(chan struct{})
		began := time.Now()
		for range 40 {
			go func() { d.serve(); done <- struct{}{} }()
		}
		for range 40 {
			<-done
		}
		if took := time.Since(began); took < 70*time.Millisecond || took > 130*time.Millisecond {
			t.Errorf("40 units of 10 ms, 4 at a time, took %v", took)
		}
	})
}

// A client asks a real server by connections that it keeps.
func TestClientAsks(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address, err := (&server{places: 2, service: 0.1}).listen(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{address: address}
	for range 10 {
		if err := c.ask(); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.idle) != 1 {
		t.Errorf("%d connections, want 1", len(c.idle))
	}
	cancel()
	c.close()
	if err := new(client).ask(); err == nil {
		t.Error("nobody can be asked without an address")
	}
}

// A crew counts what its callers do, alone and in processes that share a name.
func TestCrewsWork(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	for name, c := range map[string]crew{
		"waits":   {Work: waitWork, Milliseconds: 2, Limiters: 3, Callers: 4, Fixed: 4},
		"bare":    {Work: waitWork, Milliseconds: 2, Limiters: 2, Callers: 4, Fixed: bare},
		"foreach": {Work: eachWork, Milliseconds: 1, Limiters: 1, Callers: 30, Fixed: 5, Background: 1},
		"asks":    {Work: askWork, Limiters: 2, Callers: 4, Share: "test"},
	} {
		c.Seconds = 0.2
		s := situation{name: name, processes: 2, crew: c}
		if c.Work == askWork {
			s.server = &server{places: 4, service: 1}
		}
		b := &bench{log: io.Discard}
		m, err := b.take(t.Context(), s, c.Fixed, 200*time.Millisecond)
		for try := 0; try < 100 && err == nil && slices.ContainsFunc(m.rates, func(x float64) bool { return x <= 0 }); try++ { // a busy machine takes its time
			m, err = b.take(t.Context(), s, c.Fixed, 200*time.Millisecond)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sum := 0.0
		for _, x := range m.rates {
			if x <= 0 {
				t.Errorf("%s: rates %v", name, m.rates)
			}
			sum += x
		}
		if len(m.rates) != 2*c.Limiters || math.Abs(m.total-sum) > 1e-6*sum {
			t.Errorf("%s: %v units/s, of %v", name, m.total, m.rates)
		}
	}
}

// A process that fails ends the measurement with what it said.
func TestCrewFails(t *testing.T) {
	b := &bench{log: io.Discard}
	s := situation{name: "broken", processes: 2, crew: crew{Work: askWork, Limiters: 1, Callers: 1, Server: "127.0.0.1:1"}}
	if _, err := b.take(t.Context(), s, 1, time.Second); err == nil || !strings.Contains(err.Error(), "broken: a process of the situation") {
		t.Errorf("%v", err)
	}
	if played, err := play([]string{"-role", "none", ""}); !played || err == nil {
		t.Errorf("%v %v", played, err)
	}
	if played, _ := play([]string{"-quick"}); played {
		t.Error("-quick is not a role")
	}
	text, _ := json.Marshal(crew{Share: "../x", Limiters: 1, Work: waitWork, Seconds: 0.1})
	if err := playCrew(string(text)); err == nil {
		t.Error("a crew shares a bad name")
	}
}

// A round is judged by the fixed number before and after it.
func TestVerdict(t *testing.T) {
	v := &verdict{situation: situation{about: "two of them", processes: 2, bars: bars{total: 0.9, jain: 0.95}}, number: 8}
	fixed := func(x float64) sample { return sample{total: 2 * x, rates: []float64{x, x}, cpu: 0.5} }
	v.add(fixed(90), sample{total: 190, rates: []float64{110, 80}, cpu: 0.75, others: 0.1}, fixed(110))
	v.add(fixed(110), sample{total: 209, rates: []float64{110, 99}, cpu: 0.75, others: 0.1}, fixed(110))
	v.add(fixed(110), sample{total: 110, rates: []float64{110, 0}, cpu: 0.75, others: 0.1}, fixed(110))
	want := "| two of them | 8 | 220.0 | 0.950 | 0.80 | 0.976 | 0.25 | ours ≥ 0.9, Jain ≥ 0.95 | yes | 1.000 | 0.10 |\n"
	if got := v.row(); got != want {
		t.Errorf("%s want %s", got, want)
	}
	if strings.Count(head, "|") != 2*strings.Count(want, "|") {
		t.Error("the head has other columns than the rows")
	}
	for _, c := range []struct {
		bars bars
		met  string
	}{{bars{}, ""}, {bars{total: 0.96}, "no"}, {bars{total: 0.94, least: 0.9}, "no"}, {bars{cpu: 0.1}, "no"}, {bars{cpu: 0.3, least: 0.8}, "yes"}} {
		if _, met := c.bars.judge(0.95, 0.8, 0.9, 0.25); met != c.met {
			t.Errorf("%+v are met: %q, want %q", c.bars, met, c.met)
		}
	}
}

func TestJain(t *testing.T) {
	for want, xs := range map[float64][]float64{1: {3, 3, 3}, 0.25: {8, 0, 0, 0}, 0.9: {2, 1}} {
		if got := jain(xs); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", xs, got, want)
		}
	}
}

// The page has a place for the table.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "<!-- company -->\n") || !strings.Contains(string(text), "<!-- end of company -->") {
		t.Errorf("%s has no place for the table", page)
	}
}
