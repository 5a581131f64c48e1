package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program by its arguments and exits: with 0 if that went well or help was
// asked for, with 130 if a signal ended ctx, and otherwise with 1. It says why on stderr. A
// second signal ends it at once.
func Main(name string, run func(ctx context.Context, args []string) error) {
	// PIPE: nobody reads what is printed any more. That must stop servers, too.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:])
	if err != nil && ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "%s: stopped by a signal\n", name)
		os.Exit(130)
	}
	Exit(name, err)
}

// Exit ends a program as Main does if no signal came.
func Exit(name string, err error) {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}
