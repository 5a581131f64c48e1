//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// written is the name of a file, and prints as what the file holds.
type written string

func (w written) String() string {
	text, err := os.ReadFile(string(w))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// backgroundQueue starts a command of queue, which is killed when the test ends. It writes to a file: its
// children would keep a pipe open.
func backgroundQueue(t *testing.T, args ...string) (c *exec.Cmd, messages written) {
	t.Helper()
	f := need(os.Create(filepath.Join(t.TempDir(), "said")))(t)
	defer f.Close()
	c = exec.Command("sweetspot", append([]string{"queue"}, args...)...)
	c.Stdout, c.Stderr = f, f
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c, written(f.Name())
}

// awaitEnd waits for a command to end; one that hangs is killed.
func awaitEnd(c *exec.Cmd) error {
	hangs := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer hangs.Stop()
	return c.Wait()
}

// awaitFiles waits until there are so many files whose names begin so.
func awaitFiles(t *testing.T, prefix string, n int) {
	t.Helper()
	for until := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		files, err := filepath.Glob(prefix + "*")
		if err != nil {
			t.Fatal(err)
		}
		if len(files) >= n {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d files %s*, want %d", len(files), prefix, n)
		}
	}
}

// A worker that gets TERM gives its jobs back even if it is who serves the queue, and
// takes the server with it: they are the next worker's at once.
func TestQueueServingWorkerEnds(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	const jobs = 4
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1", "2", "3", "4"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	line := fmt.Sprintf("touch %s/began{}; exec sleep 1000", dir)
	// A job that is not given back comes again after the lease: not in this test.
	c, messages := backgroundQueue(t, "work", "q", "--dir", home, "--lease", "1h", "-j", fmt.Sprint(jobs), "-c", line)
	awaitFiles(t, filepath.Join(dir, "began"), jobs)
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = awaitEnd(c)
	if code := c.ProcessState.ExitCode(); code != 143 {
		t.Errorf("after TERM the exit status is %d, want 143: %s", code, messages)
	}
	c, messages = backgroundQueue(t, "work", "q", "--dir", home, "--until-empty", "true")
	if err := awaitEnd(c); err != nil {
		t.Fatalf("%v, %s", err, messages)
	}
	out, err := queueCommand("results", "q", "--dir", home)
	if err != nil || strings.Count(out, `"state":"done"`) != jobs || strings.Count(out, `"tries":2`) != jobs {
		t.Errorf("%v: want %d jobs done at their second try:\n%s", err, jobs, out)
	}
}

// Workers of a queue that is deleted end: one that waits for jobs, and one that has a
// job, whose result nobody takes.
func TestQueueDeletedUnderWorkers(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	startServer(t, home)
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	began, end := filepath.Join(dir, "began"), filepath.Join(dir, "end")
	busy, said := backgroundQueue(t, "work", "q", "--dir", home, "-c", fmt.Sprintf("touch %s; until [ -e %s ]; do sleep 0.01; done", began, end))
	awaitFiles(t, began, 1)
	idle, saidIdle := backgroundQueue(t, "work", "q", "--dir", home, "true")
	for until := time.Now().Add(patience); ; {
		out, err := queueCommand("status", "q", "--dir", home)
		if err != nil {
			t.Fatalf("%v, %s", err, out)
		}
		if strings.Count(out, "running") == 2 {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("want two workers: %s", out)
		}
	}
	if out, err := queueCommand("delete", "q", "--dir", home); err == nil || !strings.Contains(out, "q has 1 job without a result, 1 of them taken: want --force") {
		t.Errorf("without --force: %v, %s", err, out)
	}
	if out, err := queueCommand("delete", "q", "--force", "--dir", home); err != nil || !strings.Contains(out, "deleted q: 0 results, and 1 job without one") {
		t.Errorf("with --force: %v, %s", err, out)
	}
	for _, w := range []struct {
		c    *exec.Cmd
		said written
	}{{idle, saidIdle}, {busy, said}} {
		_ = awaitEnd(w.c)
		if code := w.c.ProcessState.ExitCode(); code != 255 || !strings.Contains(w.said.String(), "the queue q was deleted") {
			t.Errorf("a worker ends with status %d, want 255, and says %s", code, w.said)
		}
		if err := os.WriteFile(end, nil, 0o600); err != nil { // for the second one
			t.Fatal(err)
		}
	}
}

// A worker that ran a job of a queue when that was deleted gives no result to the job of
// the same number in a new queue of the same name.
func TestQueueMadeAnewUnderWorker(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	startServer(t, home)
	began, end := filepath.Join(dir, "began"), filepath.Join(dir, "end")
	do := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(append([]string{args[0], "q", "--dir", home}, args[1:]...)...)
		if err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
		return out
	}
	do("push", ":::", "old")
	old, said := backgroundQueue(t, "work", "q", "--dir", home, "-c", fmt.Sprintf("touch %s; until [ -e %s ]; do sleep 0.01; done; echo {}", began, end))
	awaitFiles(t, began, 1)
	do("delete", "--force")
	do("push", ":::", "new")
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = awaitEnd(old)
	if code := old.ProcessState.ExitCode(); code != 255 || !strings.Contains(said.String(), "the queue q was deleted") {
		t.Errorf("the worker ends with status %d, want 255, and says %s", code, said)
	}
	do("work", "--until-empty", "echo", "{}")
	if out := do("results", "--stdout"); out != "new\n" {
		t.Errorf("the new queue has the results %q, want new", out)
	}
}
