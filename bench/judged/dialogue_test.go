package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

func dialogueNamed(t *testing.T, name string) *dialogueScenario {
	t.Helper()
	i := slices.IndexFunc(dialogueScenarios, func(s dialogueScenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %q", name)
	}
	return &dialogueScenarios[i]
}

// TestUnlimitedAsPublished: clients without a limit fare in this runner as published,
// so servers, choice of host and retries are dialogue's. Left out are two scenarios in
// which more than that plays a part: what a client forgets when hosts are added, and
// what it does for sticky sessions.
func TestUnlimitedAsPublished(t *testing.T) {
	for _, sc := range dialogueScenarios {
		if sc.Name == "steady_vs_bursty_client" {
			continue
		}
		got, want := playDialogue(vectorTestOptions, &sc, dialogueWay{}), sc.Unlimited
		if math.Abs(got.Success-want.Success) > 1 || math.Abs(got.Mean/want.Mean-1) > 0.04 {
			t.Errorf("%s: %v, want %v", sc.Name, got, want)
		}
	}
}

// TestDialogueFixed: a server refuses nobody while clients keep to what it bears, and
// does so above.
func TestDialogueFixed(t *testing.T) {
	sc := *dialogueNamed(t, "fairness_across_multiple_clients")
	play := func(n int) published {
		return runDialogue(&sc, dialogueWay{limit: func(c *clock, m machine) *limiter { return newLimiter(c, nil, n, m) }}, machine{})
	}
	// Two at a time for two minutes, in 150 ms each, of 1800.
	if got, want := play(2).Success, 100*2*120/0.150/1800; math.Abs(got-want) > 0.2 {
		t.Errorf("with the number that the server bears %.1f %% succeed, want %.1f", got, want)
	}
	if got := play(8).Success; got > 50 {
		t.Errorf("with four times that number %.1f %% succeed, want fewer", got)
	}
	if n, _ := sweepDialogue(vectorTestOptions, &sc, newDialogueBar(&sc, sc.Unlimited)); n != 2 {
		t.Errorf("the best fixed number is %d, want 2", n)
	}
}

// TestMinuteRate: it comes to the rate of what is marked, and forgets it.
func TestMinuteRate(t *testing.T) {
	var m minuteRate
	now := time.Duration(0)
	for range 3000 {
		now += 200 * time.Millisecond
		m.of(now)
		m.mark()
	}
	if r := m.of(now); math.Abs(r-5) > 0.1 {
		t.Errorf("rate %v after ten minutes with five a second", r)
	}
	if r := m.of(now + time.Minute); r > 5/math.E*1.1 {
		t.Errorf("rate %v a minute later, want %.2f", r, 5/math.E)
	}
}

// TestFailuresFade: half of them are forgotten in 30 s.
func TestFailuresFade(t *testing.T) {
	var f failures
	f.add(503, 0)
	f.add(404, 0)
	if got := f.of(30 * time.Second); math.Abs(got-5.05) > 1e-9 {
		t.Errorf("%v after 30 s, want 5.05", got)
	}
}
