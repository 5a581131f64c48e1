//go:build unix

package main_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A power failure may take a result and leave its job removed, where not every write is
// synced: two files of the store, of which either may reach the disk first. Then wait does
// not say that all is well. What was tried anew has no result by the number of its message,
// and is not missed.
func TestQueueWaitMissesResult(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	do := func(args ...string) (string, error) {
		return queueCommand(concat([]string{args[0], "q"}, to, args[1:])...)
	}
	for _, args := range [][]string{
		{"push", ":::", "1", "2", "3", "4", "5"},
		{"work", "--until-empty", "--tries", "1", "-c", "[ {} != 2 ]"},
		{"retry-failed"},
		{"push", ":::", "7"},
		{"work", "--until-empty", "true"},
		{"wait"},
	} {
		if out, err := do(args...); err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	bucket := need(js.Stream(ctx, "KV_sweetspot_q"))(t)
	for _, key := range []string{"job.3", "job.7"} {
		if err := bucket.Purge(ctx, jetstream.WithPurgeSubject("$KV.sweetspot_q."+key)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := do("wait")
	if want := "the results of 2 jobs of q are gone, such as that of job 3: "; err == nil || !strings.Contains(out, want) {
		t.Errorf("wait: %v, %s; want %s", err, out, want)
	}
	for _, args := range [][]string{{"wait", "--accept-loss"}, {"wait"}} {
		if out, err := do(args...); err != nil {
			t.Errorf("%v: %v, %s; want that the loss is known", args, err, out)
		}
	}
}

// A job that failed, and whose next try a power failure or a kill of retry-failed took, has
// failed for wait, too.
func TestQueueWaitMissesRetry(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	to, nc := elsewhere(t, t.TempDir())
	do := func(args ...string) (string, error) {
		return queueCommand(concat([]string{args[0], "q"}, to, args[1:])...)
	}
	for _, args := range [][]string{
		{"push", ":::", "1", "2"},
		{"work", "--until-empty", "--tries", "1", "false"},
		{"retry-failed"},
	} {
		if out, err := do(args...); err != nil {
			t.Fatalf("%v: %v, %s", args, err, out)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	if err := need(js.Stream(ctx, "sweetspot_q"))(t).Purge(ctx); err != nil {
		t.Fatal(err)
	}
	const lost = "the next try of 2 jobs of q was lost, by a power failure or a retry-failed that was cut short: queue retry-failed q pushes them"
	if out, err := do("wait"); err == nil || err.Error() != "exit status 2" || !strings.Contains(out, lost) {
		t.Errorf("wait: %v, %s; want the exit status 2, and %s", err, out, lost)
	}
}
