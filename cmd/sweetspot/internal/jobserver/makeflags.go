package jobserver

import (
	"fmt"
	"path/filepath"
	"slices"
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
	words := strings.Fields(options)
	for i, w := range words {
		switch {
		case i == 0 && w[0] != '-' && !strings.Contains(w, "="):
			letters = w + " "
		case strings.HasPrefix(w, "-j"), strings.HasPrefix(w, "--jobs"), strings.HasPrefix(w, "--jobserver-"):
		case i > 0 && (words[i-1] == "-j" || words[i-1] == "--jobs") && strings.Trim(w, "0123456789") == "":
		default:
			rest = append(rest, w)
		}
	}
	return strings.TrimRight(letters+flags+" "+strings.Join(rest, " "), " ") + variables
}

// alone are the flags of make that take no argument, so that others can follow: -kj8.
const alone = "BLRSbdehikmnpqrstvw"

// ownNumber returns the word by which a command gets a number of its own, or "": make and ninja
// then take no tokens.
func ownNumber(command []string) string {
	if base := filepath.Base(command[0]); !isMake(base) && base != "ninja" {
		return ""
	}
	i := slices.IndexFunc(command[1:], func(w string) bool {
		if letters, short := strings.CutPrefix(w, "-"); short && strings.HasPrefix(strings.TrimLeft(letters, alone), "j") {
			return true
		}
		return w == "--jobs" || strings.HasPrefix(w, "--jobs=")
	})
	if i < 0 {
		return ""
	}
	return command[1+i]
}

func isMake(base string) bool { return base == "make" || base == "gmake" }
