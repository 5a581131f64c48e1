package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

func main() { program.Main("world", run) }

// run does what the command line says. The progress goes to stderr, the tables to
// stdout.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	b := &bench{options: *o, log: os.Stderr}
	fmt.Fprintf(b.log, "takes about %v\n", b.estimate().Round(time.Second))
	failed := false
	measured := b.measureRounds
	if b.p99 != nil {
		measured = b.measureBounds
	}
	for _, w := range b.works {
		err := warm(ctx, w, measured)
		if ctx.Err() != nil {
			break
		}
		if skippable(err) {
			fmt.Fprintf(b.log, "%s is skipped: %v\n", w.name, err)
		} else if err != nil {
			fmt.Fprintf(b.log, "%s failed: %v\n", w.name, err)
			failed = true
		}
	}
	b.report(os.Stdout)
	b.reportBounds(os.Stdout)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed:
		return errors.New("some works failed, see above")
	}
	return nil
}
