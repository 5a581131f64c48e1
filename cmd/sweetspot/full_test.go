//go:build linux

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// startSmall starts sweetspot with a TMPDIR of 256 KiB, in which so many bytes
// are in use.
func startSmall(t *testing.T, used int, args ...string) *tool {
	t.Helper()
	tmp := small(t)
	// More than fits is cut, and the file system is full.
	if err := os.WriteFile(filepath.Join(tmp, "used"), make([]byte, used), 0o600); err != nil && used <= smallSize {
		t.Fatal(err)
	}
	cmd := exec.Command("sweetspot", append([]string{"run"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	return startCommand(t, cmd)
}

const smallSize = 256 << 10

// small mounts a file system of smallSize bytes.
func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", smallSize)); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// incomplete checks that the output of a job was cut, and that the run says so.
func (s *tool) incomplete(job int, why string) {
	s.Helper()
	s.ends(255)
	if want := fmt.Sprintf("sweetspot: output of job %d may be incomplete: ", job); !strings.Contains(s.stderr.String(), want) || !strings.Contains(s.stderr.String(), why) {
		s.Errorf("stderr %q, want %s%s", s.stderr.String(), want, why)
	}
}

// Where TMPDIR is full, a job that does not heed the error of its own write does
// not count as done.
func TestFullDirectory(t *testing.T) {
	rerun.Skip(t)
	const quiet = "; exit 0" // of a shell whose command fails
	for _, test := range []struct {
		name, job string
		used      int
	}{
		{"in the middle", "head -c 1000000 /dev/zero 2>/dev/null" + quiet, 0},
		{"of stderr", "head -c 1000000 /dev/zero >&2 2>/dev/null" + quiet, 0},
		{"from the beginning", "echo x 2>/dev/null" + quiet, smallSize + 1},
		{"in small pieces", "yes 123456 2>/dev/null" + quiet, 100_000},
		{"of a job that fails", "echo x; exit 1", smallSize + 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startSmall(t, test.used, "-j", "1", "--retries", "0", "--joblog", "log", "-c", "test {} = a || { "+test.job+"; }", ":::", "a", "b", "c")
			s.incomplete(2, " is full; TMPDIR can name another directory\n")
			log, err := os.ReadFile(filepath.Join(s.dir, "log"))
			if n := strings.Count(string(log), "\n"); err != nil || n != 2 {
				t.Errorf("log %q, %v; want the job before only, so that the others run again", log, err)
			}
		})
	}
}

// A result that may be incomplete does not get its name.
func TestFullResults(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	dir := small(t)
	s := start(t, nil, "run", "--results", dir, "-c", "head -c 1000000 /dev/zero 2>/dev/null; exit 0", ":::", "a")
	s.incomplete(1, dir+"/1/a is full\n")
	if left, err := filepath.Glob(filepath.Join(dir, "1/a/*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// Jobs that write nothing do well in a full directory, and so do those whose
// output has room but ends where a cut one would.
func TestFullDirectoryInVain(t *testing.T) {
	rerun.Skip(t)
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		s := startSmall(t, smallSize+1, "-j", "2", "true", ":::", "1", "2", "3", "4")
		s.ends(0)
	})
	t.Run("whole blocks", func(t *testing.T) {
		t.Parallel()
		s := startSmall(t, 0, "-j", "2", "-c", "head -c {} /dev/zero; head -c {} /dev/zero >&2", ":::", "512", "4096", "8192", "65536", "0", "4096")
		s.ends(0)
		if n := s.stdout.Len(); n != 512+4096+8192+65536+4096 {
			t.Errorf("%d bytes", n)
		}
	})
	t.Run("results", func(t *testing.T) {
		t.Parallel()
		s := start(t, nil, "run", "--results", "out", "-c", "head -c {} /dev/zero", ":::", "0", "4096")
		s.ends(0)
		for _, n := range []int64{0, 4096} {
			if st, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("out/1/%d/stdout", n))); err != nil || st.Size() != n {
				t.Errorf("a result of %d bytes: %v, %v", n, st, err)
			}
		}
	})
}

// A block that has no room ends the run, which names the directory.
func TestFullDirectoryOfBlocks(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	stream, err := filepath.Abs("full_test.go")
	if err != nil {
		t.Fatal(err)
	}
	s := startSmall(t, smallSize+1, "--pipe", "-a", stream, "cat")
	s.ends(255)
	if want := " is full; TMPDIR can name another directory\n"; !strings.HasSuffix(s.stderr.String(), want) {
		t.Errorf("stderr %q, want …%s", s.stderr.String(), want)
	}
}

// A limit of the size of files cuts like a full directory.
func TestFileLimit(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	cmd := exec.Command("sh", "-c", `ulimit -f 2000; exec sweetspot run -c 'trap "" XFSZ; head -c {} /dev/zero 2>/dev/null; exit 0' ::: 1000 4096 3000000`)
	s := startCommand(t, cmd)
	s.incomplete(3, "it is as large as a file may be here (ulimit -f)\n")
}
