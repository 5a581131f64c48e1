package main

import (
	"os"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// inBubble calls f in a bubble of testing/synctest, where the system's clock is virtual,
// and ends the program. Bubbles are for tests only, so f runs as the only test of a
// program that plays go test; what that says of it is not shown.
func inBubble(f func() error) {
	os.Args = os.Args[:1]
	run := func(t *testing.T) {
		stdout := os.Stdout
		synctest.Test(t, func(t *testing.T) {
			if err := f(); err != nil {
				program.Exit("judged", err)
			}
		})
		stdout.Sync()
		os.Stdout = nil
	}
	all := func(_, _ string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "judged", F: run}}, nil, nil)
}
