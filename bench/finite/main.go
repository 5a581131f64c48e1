package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == holdCommand {
		program.Exit(holdCommand, hold(os.Args[2]))
	}
	program.Main("finite", run)
}

type options struct {
	rounds int
	binary string // of sweetspot
	old    string
	md     bool
	in     string    // a directory that keeps what was measured; "": none
	until  time.Time // when nothing more begins; zero: never
}

// page is where -md writes the table.
const page = "README.md"

func run(ctx context.Context, args []string) error {
	var o options
	f := program.NewFlags("finite", "Measures lists of jobs that are over in seconds.", "list", lists(),
		func(l list) (name, about string) { return l.name, l.about }, os.Stderr)
	f.IntVar(&o.rounds, "rounds", 5, "`number` of rounds")
	f.StringVar(&o.old, "old", "", "another build of sweetspot to measure beside, a `file`")
	f.BoolVar(&o.md, "md", false, "write the table into bench/"+page)
	f.StringVar(&o.in, "in", "", "a `directory` that keeps what was measured, and what is measured in parts")
	lasts := f.Duration("for", 0, "begin no run after this `time`; -in goes on with it")
	f.Quick("-rounds 1")
	chosen, err := f.Parse(args)
	if err != nil {
		return err
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds %d: want 1 or more", o.rounds)
	}
	for _, path := range []*string{&o.old, &o.in} { // runs have another directory
		if *path != "" {
			if *path, err = filepath.Abs(*path); err != nil {
				return err
			}
		}
	}
	if o.in != "" {
		if err := os.MkdirAll(o.in, 0o700); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "finite")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.binary, err = program.Build(ctx, dir); err != nil {
		return err
	}
	if *lasts > 0 {
		o.until = time.Now().Add(*lasts)
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
		if errors.Is(err, errNoGroup) && len(rows) > 0 || errors.Is(err, errLate) {
			fmt.Fprintf(os.Stderr, "%s is skipped: %v\n", l.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		rows = append(rows, r)
	}
	return o.publish(rows)
}

func (o *options) publish(rows []row) error {
	var lists, inMemory []row
	for _, r := range rows {
		if r.list.memory > 0 {
			inMemory = append(inMemory, r)
		} else {
			lists = append(lists, r)
		}
	}
	for _, t := range []struct {
		rows []row
		of   func([]row) program.Table
	}{{lists, o.table}, {inMemory, memoryTable}} {
		if len(t.rows) == 0 {
			continue
		}
		table := t.of(t.rows)
		if err := program.Show(os.Stdout, o.md, page, table.Name, table.String()); err != nil {
			return err
		}
	}
	return nil
}
