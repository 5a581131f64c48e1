package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/examples/grep/search"
)

// Exit codes are those of grep; 130 is the shell's for SIGINT.
const (
	exitMatch       = 0
	exitNone        = 1
	exitError       = 2
	exitInterrupted = 130
)

const usage = `usage: grep [flags] pattern [file or directory ...]

Prints the lines of all files below the directories ("." by default) that match
a regular expression (Go syntax), in the order of the tree. Files that .gitignore
leaves out are left out.

`

// command is the program. It returns the exit code.
func command(args []string, out, errs io.Writer) int {
	var o search.Options
	var list, count, skipBinary, asText bool
	var workers int
	flags := flag.NewFlagSet("grep", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprint(errs, usage)
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.Fixed, "F", false, "the pattern is text, not a regular expression")
	flags.BoolVar(&o.IgnoreCase, "i", false, "ignore case")
	flags.BoolVar(&o.Word, "w", false, "match whole words only")
	flags.BoolVar(&o.LineNumbers, "n", false, "print line numbers")
	flags.BoolVar(&list, "l", false, "print only the names of files with a match")
	flags.BoolVar(&count, "c", false, "print only the number of lines that match, of each file")
	flags.BoolVar(&o.NoFilename, "h", false, "print no file names")
	flags.BoolVar(&skipBinary, "I", false, "leave out binary files")
	flags.BoolVar(&asText, "a", false, "take binary files for text")
	flags.BoolVar(&o.NoIgnore, "u", false, "search also what .gitignore leaves out, and .git")
	flags.BoolVar(&o.Unordered, "unordered", false, "print what is found as soon as it is found")
	flags.IntVar(&workers, "j", 0, "search `n` files at a time; 0: as many as serves best")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitMatch
		}
		return exitError
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitError
	}
	o.Pattern = flags.Arg(0)
	o.Roots = flags.Args()[1:]
	switch {
	case list:
		o.Mode = search.Names
	case count:
		o.Mode = search.Numbers
	}
	switch {
	case asText:
		o.Binary = search.AsText
	case skipBinary:
		o.Binary = search.Skip
	}
	if workers != 0 {
		if workers < 0 || workers > 10_000 {
			fmt.Fprintf(errs, "grep: -j %d: want a number from 1 to 10000, or 0 for automatic\n", workers)
			return exitError
		}
		o.Limit = sweetspot.Fixed(workers)
	}
	o.Report = func(err error) { fmt.Fprintln(errs, "grep:", err) }

	s, err := search.New(o)
	if err != nil {
		fmt.Fprintln(errs, "grep:", err)
		return exitError
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c, err := s.Run(ctx, out)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		fmt.Fprintln(errs, "grep:", err)
		return exitError
	case c.Failed > 0:
		return exitError
	case c.Lines > 0:
		return exitMatch
	}
	return exitNone
}
