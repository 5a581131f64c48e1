package main_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
			if left := processesIn(dir); len(left) > 0 {
				t.Errorf("processes are left: %q", left)
			}
		})
	}
}

// processesIn returns the command lines of processes that name a directory there or
// work in it. It knows those of Linux only.
func processesIn(dir string) []string {
	var left []string
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		command, _ := os.ReadFile(filepath.Join(p, "cmdline"))
		place, _ := os.Readlink(filepath.Join(p, "cwd"))
		if strings.Contains(string(command), dir) || strings.HasPrefix(place, dir) {
			left = append(left, string(command))
		}
	}
	return left
}
