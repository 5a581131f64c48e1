package main_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	world "github.com/sweetspot-go/sweetspot/bench/world"
)

// Every work opens, does units side by side, and leaves nothing behind.
func TestWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	world.Small()
	for _, name := range world.Works() {
		t.Run(name, func(t *testing.T) {
			unit, dir, end, err := world.Open(t.Context(), name)
			defer end()
			if world.Skippable(err) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range 3 {
						if err := unit(ctx); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			end()
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is left: %v", dir, err)
			}
			// Servers and what they started have the directory in their command line or as
			// their working directory.
			left, err := exec.Command("pgrep", "-f", dir).Output()
			if err == nil {
				t.Errorf("processes are left: %s", strings.Fields(string(left)))
			}
		})
	}
}
