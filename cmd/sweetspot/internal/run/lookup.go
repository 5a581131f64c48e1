package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookup returns the path of a program, or an error that says what is wrong
// and, where it can, what was meant.
func lookup(name string) (string, error) {
	if name == "" {
		return "", errors.New("the command's name is empty")
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, exec.ErrDot):
		return "", fmt.Errorf("%s would be run from the current directory: write .%c%s if that is meant", name, filepath.Separator, name)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("cannot run %s: it is not executable", quoteWord(name))
	}
	msg := "command not found: " + quoteWord(name)
	switch meant := similar(name); {
	case strings.ContainsAny(name, " \t|;&<>$"):
		msg += " (a shell line needs -c)"
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
// or "". Of several it takes the nearest, then the shortest, then the first in
// the alphabet.
func similar(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return ""
	}
	best, bestAt := "", 2
	if len(name) < 5 {
		bestAt = 1 // two slips in a short word make another word
	}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(d) // what cannot be read cannot be meant
		for _, e := range entries {
			at := slips(name, e.Name(), bestAt)
			if at > bestAt || at == bestAt && best != "" && !shorter(e.Name(), best) {
				continue
			}
			if _, err := exec.LookPath(filepath.Join(d, e.Name())); err == nil {
				best, bestAt = e.Name(), at
			}
		}
	}
	return best
}

func shorter(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// slips returns how many letters must be added, left out, replaced or swapped
// with a neighbour to make b of a (the optimal string alignment distance), or
// more than most if there are more than that.
func slips(a, b string, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 0 && j > 1 && a[i] == b[j-2] && a[i-1] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
