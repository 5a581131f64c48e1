//go:build linux

package main_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// terminal returns both ends of a terminal: what is written to tty can be read
// from screen.
func terminal(t *testing.T) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// shown runs sweetspot with stdout and stderr on a terminal, and returns what that
// gets.
func shown(t *testing.T, args ...string) string {
	t.Helper()
	screen, tty := terminal(t)
	cmd := exec.Command("sweetspot", args...)
	cmd.Env = append(os.Environ(), "TERM=dumb") // no status line
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	got, err := io.ReadAll(screen)
	if err != nil && !errors.Is(err, syscall.EIO) { // nobody has it open any more
		t.Error(err)
	}
	_ = cmd.Wait() // some shall fail
	return strings.ReplaceAll(string(got), "\r\n", "\n")
}

// A terminal gets no control character of a value in a message of ours, and what
// it gets can be pasted. Files and pipes get the words as they are.
func TestNoControlsOnTerminals(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	const value = "a\x1b[31m'\\\n\xff"
	const quoted = `$'a\033[31m\'\\\n\377'`
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-v", "test", "-n"}, "test -n " + quoted + "\n"},
		{[]string{"--dry-run", "echo"}, "echo " + quoted + "\n"},
		{[]string{"{}"}, "sweetspot run: job 1: cannot run " + quoted + ": "},
		{[]string{"-c", "\x1b[31m", "{}"}, `sweetspot: -c takes the whole command as one word`},
		{[]string{"--results", "/dev/null", "true"}, "sweetspot: --results: mkdir /dev/null"},
	} {
		got := shown(t, append(append([]string{"run"}, test.args...), ":::", value)...)
		if !strings.HasPrefix(got, test.want) || strings.Contains(got, "\x1b") || strings.Contains(got, "\xff") {
			t.Errorf("%q: %q, want %q and no control character", test.args, got, test.want)
		}
	}
	s := start(t, nil, "run", "-v", "test", "-n", ":::", value)
	s.ends(0)
	if want := "test -n 'a\x1b[31m'\\''\\\n\xff'\n"; s.stderr.String() != want {
		t.Errorf("not to a terminal: %q, want %q", s.stderr.String(), want)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		out, err := exec.Command(bash, "-c", "printf %s "+quoted).Output()
		if err != nil || string(out) != value {
			t.Errorf("pasted: %q, %v", out, err)
		}
	}
}
