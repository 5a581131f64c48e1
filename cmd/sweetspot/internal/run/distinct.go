package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/outfile"
)

// distinct refuses files that would be written over each other, or over a list of
// values: a joblog that is the list would be the end of the list. A --json that is where a
// standard stream goes is refused by [outfile.Files.Add].
func (o *options) distinct() error {
	type use struct{ what, name string }
	var written, all []use
	log := strings.TrimPrefix(o.joblog, "+")
	if stream := outfile.Stream(log, os.Stdout); stream != "" {
		return fmt.Errorf("--joblog and %s are the same file, %s: give another one", stream, log)
	}
	for _, u := range []use{{"--joblog", log}, {"--json", o.json}} {
		if u.name != "" && u.name != "-" {
			written = append(written, u)
		}
	}
	if len(written) == 0 {
		return nil
	}
	for _, s := range o.lists() {
		if !s.given {
			all = append(all, use{"the list", s.file})
		}
	}
	if o.jobs.file != "" {
		all = append(all, use{"-j", o.jobs.file})
	}
	for i, w := range written {
		for _, u := range append(all, written[:i]...) {
			if sameFile(w.name, u.name) {
				return fmt.Errorf("%s and %s are the same file, %s: give another one", u.what, w.what, w.name)
			}
		}
	}
	return nil
}

// sameFile reports whether two names lead to one file, which need not exist. What is
// no regular file, such as /dev/null, is nobody's.
func sameFile(a, b string) bool {
	x, errA := stat(a)
	y, errB := stat(b)
	switch {
	case errA == nil && errB == nil:
		return x.Mode().IsRegular() && os.SameFile(x, y)
	case errA == nil || errB == nil:
		return false
	}
	a, errA = filepath.Abs(a)
	b, errB = filepath.Abs(b)
	return errA == nil && errB == nil && a == b
}

// stat is os.Stat, also of standard input.
func stat(name string) (os.FileInfo, error) {
	if name == stdinName {
		return os.Stdin.Stat()
	}
	return os.Stat(name)
}
