package main

import (
	"context"
	"fmt"
	"os"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

func main() {
	if played, err := play(os.Args[1:], os.Stdout); played {
		program.Exit("peers", err)
	}
	program.Main("peers", run)
}

// run does what the command line says. Progress goes to stderr, the report to
// stdout or a file. An interrupt still reports what was measured.
func run(ctx context.Context, args []string) error {
	o, err := parseFlags(args, os.Stderr)
	if err != nil {
		return err
	}
	b := newBench(o, os.Stderr)
	stopped := b.run(ctx)
	if err := b.write(os.Stdout); err != nil {
		return err
	}
	if stopped == nil && b.failed > 0 {
		return fmt.Errorf("%d samples failed, see above", b.failed)
	}
	return stopped
}
