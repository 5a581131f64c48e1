//go:build unix

package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A key that may only push learns that the store is full. One that may only work has long
// outputs in the store, cut as it says, waits for room for them, leaves nothing of its attempts,
// deletes those of a lost race, and says how long all of that is kept.
func TestQueueRolesAtFullStore(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	url := startServer(t, home, "--store-max", "3M")
	as := func(key string, args ...string) []string {
		return concat([]string{args[0]}, []string{"--server", url, "--nkey", filepath.Join(home, key)}, args[1:])
	}
	do := func(key string, args ...string) string {
		t.Helper()
		out, err := queueCommand(as(key, args...)...)
		if err != nil {
			t.Fatalf("%s %v: %v, %s", key, args, err, out)
		}
		return out
	}
	list := func(n int) string {
		t.Helper()
		name := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(name, []byte(strings.Repeat(strings.Repeat("x", 100_000)+"\n", n)), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	do("push.nk", "push", "small", ":::", "700000", "600000")
	do("push.nk", "push", "large", "-a", list(27)) // leaves room for a part of the first output

	began, end := filepath.Join(dir, "began"), filepath.Join(dir, "end")
	worker := speaks(t, as("work.nk", "work", "small", "--until-empty", "-j", "1", "--keep", "2h", "--output-max", "500K", "-c",
		fmt.Sprintf("head -c {} /dev/zero | tr '\\0' x; [ {} = 700000 ] || { touch %s; until [ -e %s ]; do sleep 0.01; done; }", began, end))...)
	worker.awaits("sweetspot queue: waiting: the store is full (")
	for _, name := range []string{"large", "another"} {
		out, err := queueCommand(as("push.nk", "push", name, "-a", list(9))...)
		if want := "the store is full ("; err == nil || !strings.Contains(out, want) || strings.Contains(out, "our key does not allow") {
			t.Errorf("push %s into a full store: %v, %s; want %s", name, err, out, want)
		}
	}
	if out := do("user.nk", "status", "small"); !strings.Contains(out, "; the store is full (") {
		t.Errorf("status: %s, want that the store is full", out)
	}
	do("user.nk", "delete", "large", "--force")
	worker.awaits("sweetspot queue: goes on\n")

	// Another worker records the second job meanwhile.
	awaitFiles(t, began, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	nc := need(nats.Connect(url, need(nats.NkeyOptionFromSeed(filepath.Join(home, "user.nk")))(t)))(t)
	defer nc.Close()
	js := need(jetstream.New(nc))(t)
	need(need(js.KeyValue(ctx, "sweetspot_small"))(t).Create(ctx, "job.2", []byte(`{"version":1,"job":2,"state":"done","values":["600000"],"stdout":"the other's","stderr":""}`)))(t)
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(worker.Cmd); err != nil {
		t.Fatalf("the worker: %v, %s", err, worker)
	}
	out := do("user.nk", "results", "small")
	if !strings.Contains(out, `"stdout":"`+strings.Repeat("x", 500<<10)+`"`) || !strings.Contains(out, `"stdout_bytes":700000}`) || !strings.Contains(out, `"stdout":"the other's"`) {
		t.Errorf("results: %.300s; want 512000 bytes of 700000, and the other's", out)
	}
	for name, want := range map[string]struct {
		messages uint64
		age      time.Duration
	}{
		// Four pieces of the output, what describes it, and what is left of the one that was deleted.
		"OBJ_sweetspot_small": {6, 3 * time.Hour},
		"KV_sweetspot_small":  {2, 2 * time.Hour},
	} {
		info := need(need(js.Stream(ctx, name))(t).Info(ctx))(t)
		if info.State.Msgs != want.messages || info.Config.MaxAge != want.age {
			t.Errorf("%s has %d messages, kept for %v; want %d for %v", name, info.State.Msgs, info.Config.MaxAge, want.messages, want.age)
		}
	}
}
