package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	peers "github.com/sweetspot-go/sweetspot/bench/peers"
)

// The test binary measures, too, when it is started with an order.
func TestMain(m *testing.M) {
	if played, err := peers.Play(os.Args[1:], os.Stdout); played {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRunTakesSamplesInFreshProcesses(t *testing.T) {
	var log strings.Builder
	samples, err := peers.Run(t.Context(), &log, "-quick", "-rounds", "2", "-only", "small", "-match", "^(Map|WorkersRange)/nothing@1$")
	if err != nil {
		t.Fatal(err)
	}
	if len(samples) != 4 {
		t.Fatalf("%d samples, want 2 subjects in 2 rounds:\n%s", len(samples), &log)
	}
	for _, s := range samples {
		if s.Error != "" || s.NS <= 0 || s.Loop <= 0 || s.Runs == 0 || s.Procs != 1 {
			t.Errorf("%+v: want times and no error", s)
		}
	}
	if samples[0].Row == samples[2].Row {
		t.Errorf("both rounds begin with %s", samples[0].Row)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if samples, err := peers.Run(ctx, io.Discard, "-quick", "-only", "small"); !errors.Is(err, context.Canceled) || len(samples) != 0 {
		t.Errorf("%d samples, error %v; want none and context.Canceled", len(samples), err)
	}
}

func TestLaunchTellsWhatWentWrong(t *testing.T) {
	for _, c := range []struct {
		order peers.Order
		want  string
	}{
		{peers.Order{Group: "none", Subject: "Map/nothing@1", Procs: 1, Spins: 1}, `no group "none"`},
		{peers.Order{Group: "small", Subject: "none", Procs: 1, Spins: 1}, `no subject "none" in group small`},
		{peers.Order{Group: "small", Subject: "Map/nothing@1", Procs: 1, Spins: 1}, "GOMAXPROCS is 3"},
	} {
		if _, err := peers.Launch(t.Context(), c.order, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.order, err, c.want)
		}
	}
}

// A process finds by its id what the one that started it meant.
func TestSubjectsHaveTheirOwnIDs(t *testing.T) {
	for _, procs := range []int{1, 5} {
		for _, quick := range []bool{false, true} {
			for group, ids := range peers.SubjectIDs(procs, quick) {
				seen := make(map[string]bool)
				for _, id := range ids {
					if seen[id] {
						t.Errorf("%s: two subjects %s", group, id)
					}
					seen[id] = true
					if len(seen)%10 != 1 {
						continue // finding all takes long
					}
					if err := peers.Findable(group, id, procs, quick); err != nil {
						t.Error(err)
					}
				}
				if len(ids) == 0 {
					t.Errorf("%s has no subjects", group)
				}
			}
		}
	}
}

func TestBetterThan(t *testing.T) {
	at := func(others float64, disturbed bool, failed string) peers.Sample {
		return peers.Sample{Others: &others, Disturbed: disturbed, Error: failed}
	}
	for _, c := range []struct {
		name string
		s, t peers.Sample
		want bool
	}{
		{"less disturbed", at(0.1, true, ""), at(0.2, true, ""), true},
		{"more disturbed", at(0.3, true, ""), at(0.2, true, ""), false},
		{"quiet, though longer", at(0.3, false, ""), at(0.2, true, ""), true},
		{"failed", at(0, false, "no"), at(1, true, ""), false},
		{"known", at(1, true, ""), peers.Sample{}, true},
	} {
		if got := peers.BetterThan(c.s, c.t); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
