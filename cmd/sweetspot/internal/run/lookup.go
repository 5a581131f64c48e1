package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
)

// Lookup returns the path of a program, or an error that says what is wrong
// and, where it can, what was meant. shell is what runs a shell line instead.
func Lookup(name, shell string) (string, error) {
	if name == "" {
		return "", errors.New("the command's name is empty")
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrDot):
		return "", fmt.Errorf("%s would be run from the current directory: write .%c%s if that is meant", name, filepath.Separator, name)
	case errors.Is(err, syscall.EISDIR):
		return "", fmt.Errorf("%s is a directory", quoteWord(name))
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s is not executable", quoteWord(name))
	}
	msg := "command not found: " + quoteWord(name)
	switch meant := similar(name); {
	case strings.ContainsAny(name, " \t|;&<>$"):
		msg += " (a shell line needs " + shell + ")"
	case os.Getenv("BASH_FUNC_"+name+"%%") != "":
		msg += " (a function of bash needs " + strings.Replace(shell, "sh", "bash", 1) + ")"
	case strings.HasPrefix(name, "-"):
		msg += " (flags of sweetspot come before the command)"
	case meant != "":
		msg += fmt.Sprintf(" (did you mean %s?)", meant)
	}
	return "", notFound(msg)
}

// notFound is the error for a program that is not there.
type notFound string

func (n notFound) Error() string { return string(n) }

// similar returns the program in PATH that differs from name by a slip or two,
// or "".
func similar(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return ""
	}
	g := usage.NewGuess(name)
	for dir, near := range inPath {
		g.Try(near, func() bool { return executable(dir, near) })
	}
	return g.Best()
}

// beginsProgram reports whether there is a file where a program is looked for whose name begins so.
func beginsProgram(name string) bool {
	if dir, begin := filepath.Split(name); dir != "" {
		entries, err := os.ReadDir(dir)
		return begin == "" && !errors.Is(err, fs.ErrNotExist) ||
			slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), begin) })
	}
	for _, found := range inPath {
		if strings.HasPrefix(found, name) {
			return true
		}
	}
	return false
}

// inPath yields the directories in PATH, and the names in each. What cannot be read cannot be run.
func inPath(yield func(dir, name string) bool) {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if !yield(dir, e.Name()) {
				return
			}
		}
	}
}

func executable(dir, name string) bool {
	_, err := exec.LookPath(filepath.Join(dir, name))
	return err == nil
}
