package jobserver

import (
	"fmt"
	"os/exec"
	"path/filepath"
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
