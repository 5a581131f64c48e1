package jobserver

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// A style is how clients reach the tokens: by descriptors or by the name of a pipe. "" is auto.
type style string

const (
	stylePipe style = "pipe"
	styleFifo style = "fifo"
)

// Set implements pflag.Value.
func (s *style) Set(text string) error {
	switch text {
	case "auto":
		*s = ""
	case string(stylePipe), string(styleFifo):
		*s = style(text)
	default:
		return fmt.Errorf("%q is not a style: want auto, pipe or fifo", text)
	}
	return nil
}

func (s *style) String() string {
	if *s == "" {
		return "auto"
	}
	return string(*s)
}

func (s *style) Type() string { return "STYLE" }

// of returns the style for a command. make knows names since 4.4, and refuses to run with one
// before. ninja wants a name.
func (s style) of(command []string) style {
	if s != "" {
		return s
	}
	base, gnuMake := filepath.Base(command[0]), "make"
	switch {
	case base == "ninja":
		return styleFifo
	case isMake(base):
		gnuMake = command[0]
	}
	said, _ := exec.Command(gnuMake, "--version").Output() // without make nothing is said
	if olderMake(string(said)) {
		return stylePipe
	}
	return styleFifo
}

var versionPattern = regexp.MustCompile(`^GNU Make (\d+)\.(\d+)`)

// olderMake reports whether what make says of its version is that of one before 4.4.
func olderMake(said string) bool {
	m := versionPattern.FindStringSubmatch(said)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1]) // digits
	minor, _ := strconv.Atoi(m[2])
	return major < 4 || major == 4 && minor < 4
}
