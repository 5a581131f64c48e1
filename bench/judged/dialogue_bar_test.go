package main

import "testing"

// TestDialogueBar: as good as the best published in success and time is enough, more success
// makes up for time, and what only trades one for the other stands apart from what is worse
// in both.
func TestDialogueBar(t *testing.T) {
	sc := &dialogueScenario{RoundRobin: published{90, 2}, Pin: published{99, 4}, Unlimited: published{50, 1}}
	for _, test := range []struct {
		unlimited, p published
		mark         string
	}{
		{sc.Unlimited, published{99, 4}, "✓ "},
		{sc.Unlimited, published{98.6, 4.05}, "✓ "},
		{sc.Unlimited, published{99.6, 9}, "✓ "},
		{sc.Unlimited, published{99, 4.2}, ""},
		{sc.Unlimited, published{95, 3}, "○ "},
		{sc.Unlimited, published{89, 2}, ""},
		{published{50.8, 1.03}, published{98.3, 4.1}, "✓ "}, // the runner is off by as much
		{published{60, 1.5}, published{98.3, 4.1}, ""},      // another client, no excuse
	} {
		if got := newDialogueBar(sc, test.unlimited).mark(test.p); got != test.mark {
			t.Errorf("%v with unlimited clients at %v: %q, want %q", test.p, test.unlimited, got, test.mark)
		}
	}
}
