//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// awaitStatus waits until queue status says what is wanted, and returns that.
func awaitStatus(t *testing.T, home string, messages fmt.Stringer, ok func(waiting, workers int) bool) {
	t.Helper()
	var out string
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		var err error
		if out, err = queueCommand("status", "q", "--dir", home, "--json"); err != nil {
			t.Fatal(err, out)
		}
		var s struct {
			Waiting int
			Workers []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(documents(out)), &s); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if ok(s.Waiting, len(s.Workers)) {
			return
		}
	}
	t.Fatalf("after two minutes the queue is %s; scale said %s", out, messages)
}

// documents returns the lines of JSON of an output. A command that waits for a server says so
// between them.
func documents(out string) string {
	var all strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			all.WriteString(line)
		}
	}
	return all.String()
}

// atRest says that all jobs are done, and the workers gone.
func atRest(waiting, workers int) bool { return waiting == 0 && workers == 0 }

// It starts workers when there are jobs, several for many, and none is left when nothing
// is. Each job runs once. HUP ends it after the jobs that run.
func TestQueueScale(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // else a test run by nohup hands down that it is ignored
	home, dir := t.TempDir(), t.TempDir()
	push := func(from, to int) {
		t.Helper()
		args := []string{"push", "q", "--dir", home, ":::"}
		for i := from; i < to; i++ {
			args = append(args, fmt.Sprint(i))
		}
		if out, err := queueCommand(args...); err != nil {
			t.Fatal(err, out)
		}
	}
	const jobs = 60
	push(0, jobs)
	// A job ends once two workers have one, however long it takes to start them.
	line := fmt.Sprintf("echo x >>%[1]s/{}; touch %[1]s/worker.$PPID; until set -- %[1]s/worker.* && [ $# -gt 1 ]; do sleep 0.02; done", dir)
	c, messages := backgroundQueue(t, "scale", "q", "--dir", home, "--max", "3", "--hold", "1s", "--", "-j", "1", "-c", line)
	awaitStatus(t, home, messages, atRest)
	out, err := queueCommand("results", "q", "--dir", home)
	if err != nil || strings.Count(out, `"state":"done"`) != jobs {
		t.Errorf("results %v: %s", err, out)
	}
	workers := map[string]bool{}
	for line := range strings.Lines(documents(out)) {
		var r struct{ Worker string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		workers[r.Worker] = true
	}
	if len(workers) < 2 {
		t.Errorf("the workers are %v, want several", workers)
	}

	push(jobs, jobs+1) // it begins anew
	awaitFiles(t, filepath.Join(dir, fmt.Sprint(jobs)), 1)
	_ = c.Process.Signal(syscall.SIGHUP)
	if err := awaitEnd(c); err != nil {
		t.Errorf("after HUP: %v, %s", err, messages)
	}
	awaitStatus(t, home, messages, atRest)
	for i := range jobs + 1 {
		if ran, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i))); string(ran) != "x\n" {
			t.Errorf("job %d: %q, %v", i, ran, err)
		}
	}
}

// However it ends, no job is lost, and no worker is left: after TERM jobs go back to the
// queue, after KILL the workers finish them.
func TestQueueScaleEnds(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		signal  syscall.Signal
		waiting int
	}{{syscall.SIGTERM, 1}, {syscall.SIGKILL, 0}} {
		home, dir := t.TempDir(), t.TempDir()
		if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
			t.Fatal(err, out)
		}
		line := fmt.Sprintf("touch %s/began; until [ -e %s/end ]; do sleep 0.01; done", dir, dir)
		scale, messages := backgroundQueue(t, "scale", "q", "--dir", home, "--max", "1", "--", "--lease", "1h", "-c", line)
		awaitFiles(t, filepath.Join(dir, "began"), 1)
		_ = scale.Process.Signal(c.signal)
		_ = awaitEnd(scale)
		if code := scale.ProcessState.ExitCode(); c.signal == syscall.SIGTERM && code != 143 {
			t.Errorf("after TERM the exit status is %d, want 143: %s", code, messages)
		}
		if c.signal == syscall.SIGKILL {
			if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		awaitStatus(t, home, messages, func(waiting, workers int) bool { return waiting == c.waiting && workers == 0 })
		out, err := queueCommand("work", "q", "--dir", home, "--until-empty", "true")
		if err != nil {
			t.Error(err, out)
		}
		if out, err := queueCommand("results", "q", "--dir", home); err != nil || strings.Count(out, `"state":"done"`) != 1 {
			t.Errorf("after %v the results are %s, %v", c.signal, out, err)
		}
	}
}

// Queue scale ends with its queue, when an order ends all workers, when nothing is left, and
// if its workers cannot begin.
func TestQueueScaleIsTold(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		args []string // of the queue command that ends it
		code int
	}{{[]string{"drain"}, 0}, {[]string{"delete", "--force"}, 255}} {
		home := t.TempDir()
		if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
			t.Fatal(err, out)
		}
		scale, messages := backgroundQueue(t, "scale", "q", "--dir", home, "--min", "1", "--", "true")
		awaitStatus(t, home, messages, func(waiting, workers int) bool { return waiting == 0 && workers == 1 })
		if out, err := queueCommand(append([]string{c.args[0], "q", "--dir", home}, c.args[1:]...)...); err != nil {
			t.Error(err, out)
		}
		_ = awaitEnd(scale)
		if code := scale.ProcessState.ExitCode(); code != c.code {
			t.Errorf("after %s the exit status is %d, want %d: %s", c.args[0], code, c.code, messages)
		}
	}
	home := t.TempDir()
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1", "2"); err != nil {
		t.Fatal(err, out)
	}
	out, err := queueCommand("scale", "q", "--dir", home, "--", "--no-such-flag", "true")
	if err == nil || !strings.Contains(out, "no worker can begin: the last one has ended with exit status 255") {
		t.Errorf("a flag that work does not know: %v, %s", err, out)
	}
	if out, err := queueCommand("scale", "q", "--dir", home, "--until-empty", "--", "true"); err != nil {
		t.Error(err, out)
	}
	awaitStatus(t, home, &bytes.Buffer{}, atRest)
}
