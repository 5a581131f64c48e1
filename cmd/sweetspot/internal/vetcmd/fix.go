package vetcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// goFix has go vet apply the fixes of the checks, or print what they would change, with
// this program as its tool.
func (o *options) goFix(ctx context.Context, patterns []string, dir string, out, diagnostics io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"vet", "-vettool=" + self, "-fix"}
	for flag, given := range map[string]bool{"-diff": o.diff, "-info": o.info, "-tags=" + o.tags: o.tags != ""} {
		if given {
			args = append(args, flag)
		}
	}
	for _, name := range o.only {
		args = append(args, "-"+name)
	}
	for _, name := range o.without {
		args = append(args, "-"+name+"=false")
	}
	c := exec.CommandContext(ctx, "go", append(args, patterns...)...)
	var diff bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &diff, diagnostics
	err = c.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	// With -diff the exit status tells of a change, and what else there is to say is said.
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && o.diff && e.ExitCode() == 1) {
		return fmt.Errorf("go vet -fix: %w; it takes Go 1.26", err)
	}
	_, err = out.Write(relativeDiff(dir, diff.Bytes()))
	return err
}

// relativeDiff returns a diff of go vet with the names of files that patch and git apply
// understand.
func relativeDiff(dir string, diff []byte) []byte {
	return diffHead.ReplaceAllFunc(diff, func(line []byte) []byte {
		m := diffHead.FindSubmatch(line)
		side := map[string]string{"---": "a/", "+++": "b/"}[string(m[1])]
		return fmt.Appendf(nil, "%s %s%s", m[1], side, slashed(dir, filepath.Clean(string(m[2]))))
	})
}

var diffHead = regexp.MustCompile(`(?m)^(---|\+\+\+) (.+) \((?:old|new)\)$`)
