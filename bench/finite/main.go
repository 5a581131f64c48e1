package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

func main() { program.Main("finite", run) }

// options are what the command line says.
type options struct {
	rounds int
	binary string // of sweetspot
	old    string
}

func run(ctx context.Context, args []string) error {
	var o options
	f := program.NewFlags("finite", "Measures lists of jobs that are over in seconds.", "list", lists(),
		func(l list) (name, about string) { return l.name, l.about }, os.Stderr)
	f.IntVar(&o.rounds, "rounds", 5, "`number` of rounds")
	f.StringVar(&o.old, "old", "", "another build of sweetspot to measure beside, a `file`")
	publish := f.Bool("md", false, "write the table into README.md")
	f.Quick("-rounds 1")
	chosen, err := f.Parse(args)
	if err != nil {
		return err
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	}
	dir, err := os.MkdirTemp("", "finite")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o.binary = filepath.Join(dir, "sweetspot")
	build := exec.CommandContext(ctx, "go", "build", "-o", o.binary, "github.com/sweetspot-go/sweetspot/cmd/sweetspot")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build sweetspot: %w", err)
	}
	var rows []row
	for _, l := range chosen {
		if l.needs != "" {
			if _, err := exec.LookPath(l.needs); err != nil && os.Getenv("CI") == "" {
				fmt.Fprintf(os.Stderr, "%s is skipped: %v\n", l.name, err)
				continue
			}
		}
		r, err := o.measure(ctx, l, filepath.Join(dir, l.name))
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		rows = append(rows, r)
	}
	text := o.table(rows)
	if *publish {
		return program.Publish("README.md", "finite", text)
	}
	_, err = os.Stdout.WriteString(text)
	return err
}
