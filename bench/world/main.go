package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	// PIPE: nobody reads what is printed any more. That must stop the servers, too.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	err := run(ctx, os.Args[1:])
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "world: stopped by a signal")
		os.Exit(130)
	}
	fmt.Fprintln(os.Stderr, "world:", err)
	os.Exit(1)
}

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
	for _, w := range b.works {
		err := b.measure(ctx, w)
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
	if o.json != "" {
		if err := b.writeJSON(o.json); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed:
		return errors.New("some works failed, see above")
	}
	return nil
}
