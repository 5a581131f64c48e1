package jobserver

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The variables that tell a client of its jobserver. cargo, rustc and the crate jobserver look
// at the second one first.
const (
	makeFlags  = "MAKEFLAGS"
	cargoFlags = "CARGO_MAKEFLAGS"
)

// pipeFlags lead to tokens that are read from one descriptor and written to another. make
// before 4.2 knows the first spelling only.
func pipeFlags(read, write int) string {
	return fmt.Sprintf("--jobserver-fds=%d,%d --jobserver-auth=%d,%d", read, write, read, write)
}

// fifo begins the path of tokens in a named pipe.
const fifo = "fifo:"

// environment returns environ with flags that lead clients to the tokens. jobs is for programs
// that only look for a number.
func environment(environ []string, flags string, jobs int) []string {
	flags = fmt.Sprintf("-j%d %s", jobs, flags)
	env := []string{cargoFlags + "=" + flags}
	for _, e := range environ {
		switch name, value, _ := strings.Cut(e, "="); name {
		case makeFlags:
			flags = merged(value, flags)
		case cargoFlags:
		default:
			env = append(env, e)
		}
	}
	return append(env, makeFlags+"="+flags)
}

// merged returns the value of MAKEFLAGS with other flags of a jobserver: letters without a
// dash come first in it, and variables last, behind two dashes.
func merged(old, flags string) string {
	options, variables := old, ""
	if i := strings.Index(" "+old, " -- "); i >= 0 {
		options, variables = old[:max(i-1, 0)], " "+old[i:]
	}
	letters, rest := "", []string{}
	wants := false // the word may be the argument of a -j before it
	for i, w := range strings.Fields(options) {
		bare := i == 0 && w[0] != '-' && !strings.Contains(w, "=")
		left, number, found := cutNumber(w, bare)
		argument := wants && strings.Trim(w, "0123456789") == ""
		wants = found && number == ""
		switch {
		case argument, left == "", strings.HasPrefix(left, "--jobserver-"):
		case bare:
			letters = left + " "
		default:
			rest = append(rest, left)
		}
	}
	return strings.TrimRight(letters+flags+" "+strings.Join(rest, " "), " ") + variables
}

// alone are the flags of make that take no argument, so that others can follow: -kj8.
const alone = "BLRSbdehikmnpqrstvw"

// cutNumber cuts -j and the number that follows out of a word of flags: of -kj8 is left -k. bare
// letters are flags, too.
func cutNumber(w string, bare bool) (left, number string, found bool) {
	if number, found = strings.CutPrefix(w, "--jobs"); found && (number == "" || number[0] == '=') {
		return "", strings.TrimPrefix(number, "="), true
	}
	letters, dash := strings.CutPrefix(w, "-")
	others := letters[:len(letters)-len(strings.TrimLeft(letters, alone))]
	if number, found = strings.CutPrefix(letters[len(others):], "j"); !found || !dash && !bare {
		return w, "", false
	}
	if dash && others != "" {
		others = "-" + others
	}
	return others, number, true
}

// ownNumber returns the word by which a command gets a number of its own, or "": make and ninja
// then take no tokens.
func ownNumber(command []string) string {
	if base := filepath.Base(command[0]); !isMake(base) && base != "ninja" {
		return ""
	}
	for _, w := range command[1:] {
		if _, _, found := cutNumber(w, false); found {
			return w
		}
	}
	return ""
}

func isMake(base string) bool { return base == "make" || base == "gmake" }
