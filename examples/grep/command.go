package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/lab/scan"
	"github.com/sweetspot-go/sweetspot/lab/search"
)

// Exit codes are those of grep; 130 is the shell's for SIGINT.
const (
	exitMatch       = 0
	exitNone        = 1
	exitError       = 2
	exitInterrupted = 130
)

// workersMost bounds -j: each worker has a file open and may need a thread, and the
// runtime ends programs of 10,000 threads.
const workersMost = 5_000

const usage = `usage: grep [flags] pattern [file or directory ...]

Prints the lines of all files below the directories ("." by default) that match
a regular expression (Go syntax), in the order of the tree. Files that .gitignore
leaves out are left out.

`

// An invocation is what the command line asks for.
type invocation struct {
	search.Options
	list, count        bool
	skipBinary, asText bool
	workers            int
	stats              bool
	scanner            string
	scanDelay          time.Duration
}

// command is the program. It returns the exit code.
func command(args []string, out, errs io.Writer) int {
	inv, flags := newFlags(errs)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return exitMatch
		}
		fmt.Fprintln(errs, "grep:", err)
		return exitError
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitError
	}
	inv.Pattern, inv.Roots = flags.Arg(0), flags.Args()[1:]
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what cannot be cancelled
	code, err := inv.run(ctx, out, errs)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(errs, "grep:", err)
		return exitError
	}
	return code
}

func newFlags(errs io.Writer) (*invocation, *pflag.FlagSet) {
	inv := new(invocation)
	flags := pflag.NewFlagSet("grep", pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	flags.BoolVarP(&inv.Fixed, "fixed-strings", "F", false, "the pattern is text, not a regular expression")
	flags.BoolVarP(&inv.IgnoreCase, "ignore-case", "i", false, "take capital and small letters for the same")
	flags.BoolVarP(&inv.Word, "word-regexp", "w", false, "match whole words only")
	flags.BoolVarP(&inv.LineNumbers, "line-number", "n", false, "print line numbers")
	flags.BoolVarP(&inv.list, "files-with-matches", "l", false, "print only the names of files with a match")
	flags.BoolVarP(&inv.count, "count", "c", false, "print only how many lines match, of each file")
	flags.BoolVarP(&inv.NoFilename, "no-filename", "h", false, "print no file names")
	flags.BoolVarP(&inv.skipBinary, "no-binary", "I", false, "leave out binary files")
	flags.BoolVarP(&inv.asText, "text", "a", false, "take binary files for text")
	flags.BoolVarP(&inv.NoIgnore, "no-ignore", "u", false, "search also what .gitignore leaves out, and .git")
	flags.BoolVar(&inv.Unordered, "unordered", false, "print what is found as soon as it is found")
	flags.IntVarP(&inv.workers, "jobs", "j", 0, "search `n` files at a time (default: as many as serves best)")
	flags.BoolVar(&inv.stats, "stats", false, "say at the end what was searched, and how the number of files at a time was found")
	flags.StringVar(&inv.scanner, "scanner", "", "run below an on-access scanner of the `kind` socket or fanotify")
	flags.DurationVar(&inv.scanDelay, "scanner-delay", 0, "what an answer of the scanner takes besides CPU time")
	return inv, flags
}

// run searches. It returns the exit code unless there is an error.
func (inv *invocation) run(ctx context.Context, out, errs io.Writer) (code int, err error) {
	o := inv.Options
	switch {
	case inv.list:
		o.Mode = search.Names
	case inv.count:
		o.Mode = search.Numbers
	}
	switch {
	case inv.asText:
		o.Binary = search.AsText
	case inv.skipBinary:
		o.Binary = search.Skip
	}
	var limiter *sweetspot.Limiter
	switch {
	case inv.workers < 0 || inv.workers > workersMost:
		return 0, fmt.Errorf("-j %d: want a number from 1 to %d, or 0 for as many as serves best", inv.workers, workersMost)
	case inv.workers > 0:
		o.Limit = sweetspot.Fixed(inv.workers)
	case inv.stats:
		limiter = sweetspot.New()
		o.Limit = limiter
	}
	o.Report = func(err error) { fmt.Fprintln(errs, "grep:", err) }
	if inv.scanner != "" {
		roots := o.Roots
		if len(roots) == 0 {
			roots = []string{"."}
		}
		// The search ends before its scanner does: interrupted together, a search that was
		// told later would report that its scanner is gone.
		scanner, err := scan.Start(context.WithoutCancel(ctx), scan.Config{Kind: scan.Kind(inv.scanner), Roots: roots, Delay: inv.scanDelay})
		if err != nil {
			return 0, err
		}
		o.Open = scanner.Open
		defer func() {
			report, closeErr := scanner.Close()
			err = errors.Join(err, closeErr)
			if inv.stats {
				fmt.Fprintf(errs, "scanner: %d files, %d bytes, %v of CPU time\n", report.Files, report.Bytes, report.CPU.Round(time.Millisecond))
			}
		}()
	}
	s, err := search.New(o)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	c, err := s.Run(ctx, out)
	if err != nil {
		return 0, err
	}
	if inv.stats {
		fmt.Fprint(errs, account(c, time.Since(began), limiter))
	}
	switch {
	case c.Failed > 0:
		return exitError, nil
	case c.Lines > 0:
		return exitMatch, nil
	}
	return exitNone, nil
}

// account says what a search has done, and how its limit came about.
func account(c search.Counts, took time.Duration, l *sweetspot.Limiter) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %d bytes; %d lines in %d files match; %d could not be read; %v\n",
		c.Files, c.Bytes, c.Lines, c.Matched, c.Failed, took.Round(time.Millisecond))
	if l != nil {
		fmt.Fprintf(&b, "at the end %d files at a time\n", l.Limit())
		for _, change := range l.Decisions() {
			fmt.Fprintf(&b, "  %v %v\n", change.At.Round(time.Millisecond), change.Reason)
		}
	}
	return b.String()
}
