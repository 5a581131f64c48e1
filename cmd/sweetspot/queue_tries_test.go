//go:build unix

package main_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// --tries counts the failures of a job: being interrupted, with its worker, is none.
func TestQueueTriesAreFailures(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for i := range 2 {
		began := filepath.Join(dir, fmt.Sprint("began", i))
		c, _ := backgroundQueue(t, "work", "q", "--dir", home, "--tries", "1", "-c", "touch "+began+"; exec sleep 1000")
		awaitFiles(t, began, 1)
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = awaitEnd(c)
	}
	if out, err := queueCommand("work", "q", "--dir", home, "--tries", "1", "--until-empty", "echo", "{}"); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	if out, err := queueCommand("results", "q", "--dir", home); err != nil || !strings.Contains(out, `"state":"done"`) || !strings.Contains(out, `"tries":3`) {
		t.Errorf("%v: want the job done when it was taken for the third time:\n%s", err, out)
	}
}

// A job that waits for another try for longer than results are kept has failed as often as before.
func TestQueueTriesOutlastResults(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "1"})...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	dir := t.TempDir()
	// It fails as often as there is room for it, and then waits for the end of its worker.
	work := func(room string, flags ...string) []string {
		fail := fmt.Sprintf("cd %s; for n in %s; do mkdir failed$n && exit 1; done; touch waits; exec sleep 1000", dir, room)
		return concat([]string{"work", "q"}, to, flags, []string{"--keep", "1h", "--tries", "2", "--pause", "1ms", "-c", fail})
	}
	first, _ := backgroundQueue(t, work("1")...)
	awaitFiles(t, filepath.Join(dir, "waits"), 1)
	_ = first.Process.Signal(syscall.SIGTERM)
	_ = awaitEnd(first)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	config := need(js.Stream(ctx, "KV_sweetspot_q"))(t).CachedInfo().Config
	config.MaxAge, config.Duplicates = 100*time.Millisecond, 100*time.Millisecond // the least
	need(js.UpdateStream(ctx, config))(t)
	results := need(js.KeyValue(ctx, "sweetspot_q"))(t)
	need(results.PutString(ctx, "last", ""))(t)
	for { // what came before it goes before it
		_, err := results.Get(ctx, "last")
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if out, err := queueCommand(work("1 2 3", "--until-empty")...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	if failed := need(filepath.Glob(filepath.Join(dir, "failed*")))(t); len(failed) != 2 {
		t.Errorf("it failed %d times, want --tries 2", len(failed))
	}
	if out, err := queueCommand(concat([]string{"delete", "q"}, to)...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	for name := range js.StreamNames(ctx).Name() {
		t.Errorf("%s is left of a queue that was deleted", name)
	}
}

// A job that kills its worker each time has failed after --deaths of them, with words that
// say so. It has not killed the one that finds out.
func TestQueuePoison(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "1"})...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	jobs := need(need(jetstream.New(nc))(t).Consumer(t.Context(), "sweetspot_q", "workers"))(t)
	// No lease ends while a worker that lives stands still.
	work := concat([]string{"work", "q"}, to, []string{"--lease", "1h", "--deaths", "2", "--until-empty", "-c", "kill -9 $PPID"})
	for range 2 {
		if out, err := queueCommand(work...); err == nil {
			t.Fatalf("a worker lives, that its job kills: %s", out)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		for need(jobs.Info(ctx))(t).NumWaiting > 0 { // the server would give the job to the dead one
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
		need(nc.Request("$JS.ACK.sweetspot_q.workers.1.1.1.0.0", []byte("-NAK"), patience))(t) // in place of the end of the lease
	}
	if out, err := queueCommand(work...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	want := `"state":"failed","values":["1"],"status":-1,"error":"its worker died, or was not heard of for the lease, 2 times: --deaths 2"`
	if out, err := queueCommand(concat([]string{"results", "q"}, to, []string{"--failed"})...); err != nil || !strings.Contains(out, want) {
		t.Errorf("%v: want %s:\n%s", err, want, out)
	}
}

// A job for which the machine has no room has not failed.
func TestQueueScarceFiles(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, _ := elsewhere(t, t.TempDir())
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::"}, strings.Fields(strings.Repeat("x ", 40)))...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	// Each job needs files; 60 are enough for some jobs at a time, not for all.
	c := exec.Command("sh", concat([]string{"-c", closed + `ulimit -n 60; exec sweetspot queue work q "$@"`, "sh"}, to,
		[]string{"-j", "40", "--tries", "1", "--until-empty", "-c", "sleep 0.2; echo {}"})...)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, %s", err, out)
	}
	if out, err := queueCommand(concat([]string{"results", "q"}, to, []string{"--stdout"})...); err != nil || out != strings.Repeat("x\n", 40) {
		t.Errorf("%v, %q; want x of 40 jobs", err, out)
	}
}

// A longer lease puts off the next tries that are waited for, and that is said.
func TestQueueLongerLease(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "1"})...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	consumer := need(need(jetstream.New(nc))(t).Consumer(t.Context(), "sweetspot_q", "workers"))(t)
	m := need(consumer.Next(jetstream.FetchMaxWait(time.Minute)))(t)
	if err := m.NakWithDelay(time.Hour); err != nil {
		t.Fatal(err)
	}
	const want = "the lease is longer now: jobs that wait for another try come up to 59m30s later"
	for i := range 2 {
		out, err := queueCommand(concat([]string{"work", "q"}, to, []string{"--lease", "1h", "--until-eof", "true"})...)
		if err != nil || strings.Contains(out, want) != (i == 0) {
			t.Errorf("%v, %s; want %q the first time alone", err, out, want)
		}
	}
}
