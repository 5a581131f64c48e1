package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "release:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	version := flags.String("version", "", "version of all modules, such as v0.1.0")
	proxy := flags.String("proxy", "", "also write the modules to this module proxy")
	dryRun := flags.Bool("dry-run", false, "make no tags")
	repo := flags.String("C", ".", "a folder of the repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: want flags only", flags.Arg(0))
	}
	r, err := open(ctx, *repo)
	if err != nil {
		return err
	}
	p, err := r.publish(ctx, *version, *proxy)
	if err != nil {
		return err
	}
	for _, tag := range p.tags {
		fmt.Fprintln(out, tag)
	}
	if *dryRun {
		fmt.Fprintln(out, "dry run: no tags were made")
		return nil
	}
	if err := r.tag(ctx, p); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nto publish: git push origin", strings.Join(p.tags, " "))
	return nil
}
