package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

func main() {
	played, err := play(os.Args[1:])
	if !played {
		err = run(os.Args[1:])
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case errors.As(err, new(interrupted)) && !played:
		os.Exit(130)
	}
	fmt.Fprintln(os.Stderr, "real:", err)
	os.Exit(1)
}

// run does what the command line says. The progress goes to stderr, the tables
// to stdout. An interrupt still shows what was measured.
func run(args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	// PIPE: nobody reads what is printed any more. That must end in order, too.
	ctx, cancel := interruptible(os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer cancel(nil)
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
