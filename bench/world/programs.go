package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// missing says that a program is not installed.
type missing struct{ program string }

func (m missing) Error() string { return m.program + " is not installed: make deps installs it" }

// places are where Debian keeps servers, beside PATH.
var places = []string{"/usr/sbin", "/usr/lib/postgresql/*/bin"}

// find returns the path of a program, or [missing].
func find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, place := range places {
		found, _ := filepath.Glob(filepath.Join(place, program))
		if len(found) > 0 {
			return found[len(found)-1], nil
		}
	}
	return "", missing{program}
}

// skippable reports whether a work that failed with err may be left out: not
// where CI is set, which promises that everything is installed.
func skippable(err error) bool {
	return errors.As(err, new(missing)) && os.Getenv("CI") == ""
}

func goCommand(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, e.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
