package jobserver

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// The styles are how clients reach the tokens: by descriptors or by the name of a pipe.
const (
	styleAuto = "auto"
	stylePipe = "pipe"
	styleFifo = "fifo"
)

// styleFor returns the style for a command, which is the one asked for or, where that is auto, the one that
// it knows. make knows names since 4.4, and refuses to run with one before. ninja wants a name.
func styleFor(asked string, command []string) (string, error) {
	switch asked {
	case stylePipe, styleFifo:
		return asked, nil
	case styleAuto:
	default:
		return "", fmt.Errorf("--style: %q is not a style: want auto, pipe or fifo", asked)
	}
	base, gnuMake := filepath.Base(command[0]), "make"
	if base == "ninja" {
		return styleFifo, nil
	}
	if isMake(base) {
		gnuMake = command[0]
	}
	said, _ := exec.Command(gnuMake, "--version").Output() // without make nothing is said
	if olderMake(string(said)) {
		return stylePipe, nil
	}
	return styleFifo, nil
}

// olderMake reports whether what make says of its version is that of one before 4.4.
func olderMake(said string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(said, "GNU Make %d.%d", &major, &minor)
	return n == 2 && (major < 4 || major == 4 && minor < 4)
}

// warning says that a command does not use the tokens, or is "". ninja does not before 1.13, unless
// its version names the jobserver, as that of Kitware's ninja does.
func warning(command []string) string {
	if filepath.Base(command[0]) != "ninja" {
		return ""
	}
	said, _ := exec.Command(command[0], "--version").Output()
	if !olderNinja(string(said)) {
		return ""
	}
	return fmt.Sprintf("ninja %s knows no jobserver, and starts as many jobs as without one: want 1.13 or newer", bytes.TrimSpace(said))
}

func olderNinja(said string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(said, "%d.%d", &major, &minor)
	return n == 2 && major <= 1 && minor < 13 && !strings.Contains(said, "jobserver")
}
