package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	sampled, err := play(os.Args[1:], os.Stdout)
	if !sampled {
		err = run(os.Args[1:])
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	}
	fmt.Fprintln(os.Stderr, "peers:", err)
	os.Exit(1)
}

// run does what the command line says. Progress goes to stderr, the report to
// stdout or a file. An interrupt still reports what was measured.
func run(args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := newBench(o, os.Stderr)
	stopped := b.run(ctx)
	stop() // a second interrupt ends the program at once
	if err := b.write(os.Stdout); err != nil {
		return err
	}
	if stopped == nil && b.failed > 0 {
		return fmt.Errorf("%d samples failed, see above", b.failed)
	}
	return stopped
}
