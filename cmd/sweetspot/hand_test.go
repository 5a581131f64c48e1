//go:build unix

package main_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// together waits until so many jobs run, and fails if they never do.
const together = `echo $$ >{}.pid; i=0; while test $(ls *.pid | wc -l) -lt 3; do i=$((i+1)); test $i -lt 600 || exit 1; sleep 0.05; done`

// USR1 makes room for one job more, also while none ends.
func TestMoreManual(t *testing.T) {
	rerun.Skip(t)
	s := start(t, nil, "run", "-j", "1", "--explain", "-c", together, ":::", "a", "b", "c")
	s.await("a.pid")
	s.signal(syscall.SIGUSR1)
	s.await("b.pid")
	s.signal(syscall.SIGUSR1)
	s.await("c.pid")
	s.ends(0)
	says(s, "1→2: set manually", "2→3: set manually")
}

// USR2 takes one away, down to the last; the running jobs finish.
func TestFewerManual(t *testing.T) {
	rerun.Skip(t)
	s := start(t, nil, "run", "-j", "3", "--explain", "-c", `echo $$ >{}.pid; while ! test -e go; do sleep 0.02; done; test {} != d || sleep 0.2`,
		":::", "a", "b", "c", "d")
	s.await("a.pid", "b.pid", "c.pid")
	for range 20 { // signals of a kind that wait for a busy program become one
		s.signal(syscall.SIGUSR2)
		s.taken()
	}
	s.write("go", "")
	s.ends(0)
	says(s, "3→2: set manually", "2→1: set manually", "ended at 1 ")
}

// says checks what the tool has written to stderr.
func says(s *tool, want ...string) {
	s.Helper()
	for _, w := range want {
		if !strings.Contains(s.stderr.String(), w) {
			s.Errorf("stderr lacks %q: %s", w, s.stderr.String())
		}
	}
}
