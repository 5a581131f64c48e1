// Command corpus has sweetspot vet look at well-known modules, of the versions in
// modules.txt, and at the standard library. It prints how much there is to look at,
// what that took and every finding, and judges the findings by what people who read
// them wrote into read.txt. Run it in the root of the repository; it downloads what
// is not in the module cache, some gigabytes with all dependencies.
//
//	go run ./scripts/corpus [-sweetspot FILE] [-info] [-half tuned|fresh|std] [-module REGEXP]
//
// Filters of the checks are made with the tuned half in view. What is told of their
// precision is of the fresh half, and of the standard library.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("corpus", flag.ExitOnError)
	command := flags.String("sweetspot", "bin/sweetspot", "the `file` to run, as make build leaves it")
	info := flags.Bool("info", false, "with the findings of --info")
	half := flags.String("half", "", "only the `half` tuned or fresh, or std")
	module := flags.String("module", "", "only modules whose path matches this `regexp`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("no argument %q is wanted", flags.Arg(0))
	}
	if !slices.Contains([]string{"", tuned, fresh, std}, *half) {
		return fmt.Errorf("-half %q: want %s, %s or %s", *half, tuned, fresh, std)
	}
	match, err := regexp.Compile(*module)
	if err != nil {
		return fmt.Errorf("-module: %w", err)
	}
	bin, err := filepath.Abs(*command)
	if err != nil {
		return err
	}
	if _, err := os.Stat(bin); err != nil {
		return fmt.Errorf("%w: run make build first, or give -sweetspot", err)
	}
	verdicts, err := readVerdicts("scripts/corpus/read.txt")
	if err != nil {
		return err
	}
	var looks []look
	var failed []string
	for _, m := range modules() {
		if *half != "" && m.half != *half || !match.MatchString(m.path) {
			continue
		}
		l, err := m.vet(ctx, bin, *info)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed = append(failed, m.String())
			fmt.Fprintf(os.Stderr, "corpus: %s: %v\n", m, err)
			continue
		}
		l.print(os.Stdout, verdicts)
		looks = append(looks, l)
	}
	if len(looks) == 0 && len(failed) == 0 {
		return fmt.Errorf("no module of the list is meant: see modules.txt")
	}
	summarise(os.Stdout, looks, verdicts)
	if len(failed) > 0 {
		return fmt.Errorf("not looked at: %s", strings.Join(failed, ", "))
	}
	return nil
}
