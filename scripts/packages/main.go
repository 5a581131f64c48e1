package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "packages:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("packages", flag.ContinueOnError)
	repo := flags.String("C", ".", "the root of the repository")
	dist := flags.String("o", "dist", "the folder to write, which is emptied first")
	here := flags.Bool("here", false, "build for this system only")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: want flags only", flags.Arg(0))
	}
	list := targets
	if *here {
		list = []target{{runtime.GOOS, runtime.GOARCH}}
	}
	if err := cleared(*dist); err != nil {
		return err
	}
	r, err := build(ctx, *repo, *dist, list)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.scratch)
	if err := r.pack(); err != nil {
		return err
	}
	return r.sums(out)
}

// cleared makes the folder anew. It takes away nothing but what an earlier run wrote.
func cleared(dist string) error {
	files, err := os.ReadDir(dist)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(files) > 0 {
		if _, err := os.Stat(filepath.Join(dist, sumsName)); err != nil {
			return fmt.Errorf("%s has files but no %s: choose another folder for -o, or empty it", dist, sumsName)
		}
	}
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	return os.MkdirAll(dist, 0o755)
}
