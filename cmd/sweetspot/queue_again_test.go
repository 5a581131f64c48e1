//go:build unix

package main_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A job whose result is recorded, and whose acknowledgement was lost, comes again. The
// worker that gets it ends it, and does not run it, though there was no result when it
// began to work and it has seen its server all the time.
func TestQueueRecordedComesAgain(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	to, nc := elsewhere(t, home)
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "lost"})...); err != nil {
		t.Fatal(err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	jobs := need(js.Consumer(ctx, "sweetspot_q", "workers"))(t)
	results := need(js.KeyValue(ctx, "sweetspot_q"))(t)

	lost := need(jobs.Next())(t) // by a worker that dies
	worker, messages := backgroundQueue(t, concat([]string{"work", "q"}, to, []string{"--until-empty", "-j", "1", "-c", "touch " + filepath.Join(dir, "{}")})...)
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "first"})...); err != nil {
		t.Fatal(err, out)
	}
	awaitFiles(t, filepath.Join(dir, "first"), 1) // so it works, and found no result when it began
	need(results.Create(ctx, "job.1", []byte(`{"version":1,"job":1,"state":"done","values":["lost"],"tries":1,"round":1,"worker":"dead","stdout":"once","stderr":""}`)))(t)
	if err := lost.NakWithDelay(time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(worker); err != nil {
		t.Fatal(err, messages)
	}
	if _, err := os.Stat(filepath.Join(dir, "lost")); err == nil {
		t.Error("it ran a job whose result was there")
	}
	if out, err := queueCommand(concat([]string{"results", "q"}, to)...); err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, `"once"`) {
		t.Errorf("results: %v, %s", err, out)
	}
	if n := need(jobs.Info(ctx))(t).NumAckPending; n != 0 {
		t.Errorf("%d jobs are still to be acknowledged", n)
	}
}

// need returns what has to be there.
func need[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
