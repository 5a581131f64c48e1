//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// readAlong starts a run of jobs that write a line to stdout and to stderr and then wait
// for a file, and returns the directory in which the outputs of both have names by then.
func readAlong(t *testing.T) (s *tool, shelf string) {
	t.Helper()
	tmp := t.TempDir()
	fd, err := unix.Open(tmp, unix.O_RDWR|unix.O_TMPFILE, 0o600)
	if err != nil {
		t.Skipf("%s has no files without names: %v", tmp, err)
	}
	unix.Close(fd)
	cmd := exec.Command("sweetspot", "run", "-j", "2", "-c", `echo out {}; echo err {} >&2; until test -e go; do sleep 0.02; done; echo more {}`, ":::", "a", "b")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	s = startCommand(t, cmd)
	for _, f := range []struct{ name, want string }{{"1.stdout", "out a\n"}, {"1.stderr", "err a\n"}, {"2.stdout", "out b\n"}, {"2.stderr", "err b\n"}} {
		for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			found, _ := filepath.Glob(filepath.Join(tmp, "sweetspot-*", f.name))
			if len(found) == 1 {
				shelf = filepath.Dir(found[0])
				if got, err := os.ReadFile(found[0]); err == nil && string(got) == f.want {
					break
				}
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s does not appear, or is not %q", f.name, f.want)
			}
		}
	}
	return s, shelf
}

// The output of a job that takes long can be read before it ends.
func TestReadAlong(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s, shelf := readAlong(t)
	if info, err := os.Stat(shelf); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v: want a directory that is ours alone", info, err)
	}
	s.write("go", "")
	s.ends(0)
	if got := s.stdout.String(); got != "out a\nmore a\nout b\nmore b\n" && got != "out b\nmore b\nout a\nmore a\n" {
		t.Errorf("stdout %q", got)
	}
	if _, err := os.Stat(shelf); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", shelf, err)
	}
}

// A run that is killed leaves no names behind.
func TestReadAlongKilled(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s, shelf := readAlong(t)
	s.signal(syscall.SIGKILL)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(shelf); os.IsNotExist(err) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is left", shelf)
		}
	}
}
