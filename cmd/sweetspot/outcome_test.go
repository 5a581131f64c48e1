//go:build unix

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// resume starts the command of s anew, in its directory, with --resume.
func (s *tool) resume(args ...string) string {
	s.Helper()
	cmd := exec.Command("sweetspot", append([]string{"run", "--resume"}, args...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = s.dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("resumed: %v, stderr %s", err, stderr.String())
	}
	return string(out)
}

// A job that the run ended by a signal has not finished, whatever it makes of
// the signal: it runs again.
func TestResumeAfterTerm(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	args := []string{"-j", "1", "--grace", "1m", "--joblog", "log", "--results", "results", "-c",
		`trap 'echo bye; exit 0' TERM; echo $$ >{}.t; mv {}.t {}; until test {} = a -o -e go; do sleep 0.01; done; echo {}`, ":::", "a", "b", "c"}
	s := start(t, nil, append([]string{"run"}, args...)...)
	s.await("a", "b")
	s.signal(syscall.SIGTERM)
	s.ends(143)
	if got := s.stdout.String(); got != "a\nbye\n" {
		t.Errorf("stdout %q", got)
	}
	if s.has("results/1/b/stdout") || !s.has("results/1/a/stdout") {
		t.Error("want the results of a, which has finished, and not of b")
	}
	s.write("go", "")
	if got := s.resume(args...); got != "b\nc\n" {
		t.Errorf("resumed: %q", got)
	}
}

// HUP lets the running jobs finish, and so they have.
func TestResumeAfterHangup(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	args := []string{"-j", "1", "--joblog", "log", "-c",
		`echo $$ >{}.t; mv {}.t {}; until test -e go; do sleep 0.01; done; echo {}`, ":::", "a", "b"}
	hup := make(chan os.Signal, 1) // under nohup it is ignored, and would be there
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	s := start(t, nil, append([]string{"run"}, args...)...)
	s.await("a")
	s.signal(syscall.SIGHUP)
	s.heeded()
	s.write("go", "")
	s.ends(129)
	if got := s.resume(args...); got != "b\n" {
		t.Errorf("resumed: %q after %q", got, s.stdout.String())
	}
}

// A job that times out is ended with all its processes: those that do not heed
// TERM get KILL after the grace, though the first one has ended by then.
func TestTimeoutEndsWholeJobs(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	// Where a machine is too slow for the first try, another follows.
	s := start(t, nil, "run", "--timeout", "1", "--grace", "0.2", "--retries", "0", "-c",
		`test -e child && exit; sh -c 'trap "" TERM; echo $$ >child.t; mv child.t child; while :; do sleep 0.05; done' & wait`, ":::", "x")
	pids := s.await("child")
	s.ends(0)
	s.gone(pids)
	if !strings.Contains(s.stderr.String(), "job 1 timed out after ") {
		t.Errorf("stderr %q", s.stderr.String())
	}
}

// A try that is waited for does not keep a run from ending.
func TestTermBetweenTries(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	s := start(t, nil, "run", "--joblog", "log", "--retries", "0", "-c", `echo $$ >{}.t; mv {}.t {}; exit 1`, ":::", "a")
	s.await("a")
	s.signal(syscall.SIGTERM)
	s.ends(143)
	if b, err := os.ReadFile(filepath.Join(s.dir, "log")); err != nil || bytes.Count(b, []byte("\n")) != 1 {
		t.Errorf("log %q, %v; want no record", b, err)
	}
}

// A log that cannot be written to ends the run.
func TestJoblogDiskFull(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	s := start(t, nil, "run", "--joblog", "/dev/full", "true", ":::", "a")
	s.ends(255)
	if got := s.stderr.String(); !strings.Contains(got, "--joblog: cannot write /dev/full: no space left") {
		t.Errorf("stderr %q", got)
	}
}
