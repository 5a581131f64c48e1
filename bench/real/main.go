package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

func main() {
	if played, err := play(os.Args[1:]); played {
		program.Exit("real", err)
	}
	program.Main("real", run)
}

// run does what the command line says. The progress goes to stderr, the tables
// to stdout. An interrupt still shows what was measured.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sweetspot-real-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := newBench(o, os.Stderr)
	if err := b.prepare(ctx, dir); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	}
	fmt.Fprintf(b.log, "takes about %v\n", b.estimate().Round(time.Second))
	shown := make(map[string]bool)
	show := func(w workload) {
		shown[w.name] = true
		b.report(os.Stdout, w)
	}
	stopped := b.run(ctx, show)
	for _, w := range b.workloads {
		if !shown[w.name] {
			show(w)
		}
	}
	b.overview(os.Stdout)
	if o.json != "" {
		if err := b.writeJSON(o.json); err != nil {
			return err
		}
	}
	if stopped == nil && b.failed {
		return errors.New("some measurements failed, see above")
	}
	return stopped
}
