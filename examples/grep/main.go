// Command grep searches the files of a tree for lines that match a pattern. See
// the README beside this file.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/sweetspot-go/sweetspot"
)

// Exit codes are those of grep; 130 is the shell's for SIGINT.
const (
	exitMatch       = 0
	exitNone        = 1
	exitError       = 2
	exitInterrupted = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && code != exitInterrupted {
		fmt.Fprintln(os.Stderr, "grep:", err)
	}
	os.Exit(code)
}

// command is the program. It returns the exit code.
func command(ctx context.Context, args []string, out, errs io.Writer) (code int, err error) {
	flags := flag.NewFlagSet("grep", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.Usage = func() {
		fmt.Fprint(errs, "usage: grep [flags] pattern [file or directory ...]\n\n")
		flags.PrintDefaults()
	}
	ignoreCase := flags.Bool("i", false, "ignore case")
	numbers := flags.Bool("n", false, "print line numbers")
	workers := flags.Int("j", 0, "search `n` files at a time; 0 finds the number")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return exitMatch, nil
	} else if err != nil {
		return exitError, nil // flags has printed it
	}
	if *workers < 0 {
		return exitError, fmt.Errorf("-j %d: want a number of files, or 0 to find it", *workers)
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return exitError, nil
	}
	pattern := flags.Arg(0)
	if *ignoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return exitError, err
	}
	roots := flags.Args()[1:]
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var opts []sweetspot.MapSeqOption
	if *workers != 0 {
		opts = append(opts, sweetspot.Fixed(*workers))
	}

	search := func(_ context.Context, f file) (found, error) { return f.search(re, *numbers), nil }
	code = exitNone
	var failed []error
	for f, err := range sweetspot.MapSeq(ctx, walk(roots), search, opts...) {
		if ctx.Err() != nil {
			return exitInterrupted, err
		}
		if err == nil {
			_, err = out.Write(f.lines)
		}
		if err != nil {
			return exitError, err
		}
		if len(f.lines) > 0 {
			code = exitMatch
		}
		if f.err != nil {
			failed = append(failed, f.err)
		}
	}
	if len(failed) > 0 {
		return exitError, errors.Join(failed...)
	}
	return code, nil
}

// A file is one to search, or an error in its place.
type file struct {
	path string
	err  error
}

// walk yields the regular files of the trees, and what cannot be read.
func walk(roots []string) iter.Seq[file] {
	return func(yield func(file) bool) {
		for _, root := range roots {
			more := true
			_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.Type().IsRegular() {
					more = yield(file{path, err})
				}
				if !more {
					return fs.SkipAll
				}
				return nil
			})
			if !more {
				return
			}
		}
	}
}

// found are the matching lines of a file, ready to be printed, and what went wrong.
type found struct {
	lines []byte
	err   error
}

// search searches a file, unless it is binary.
func (f file) search(re *regexp.Regexp, numbers bool) found {
	if f.err != nil {
		return found{err: f.err}
	}
	text, err := os.ReadFile(f.path)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return found{err: err}
	}
	var out bytes.Buffer
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSuffix(line, []byte("\n"))
		switch {
		case !re.Match(line):
		case numbers:
			fmt.Fprintf(&out, "%s:%d:%s\n", f.path, n, line)
		default:
			fmt.Fprintf(&out, "%s:%s\n", f.path, line)
		}
	}
	return found{lines: out.Bytes()}
}
