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

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// What a job writes costs its worker no memory, however much that is, and --output-max
// bounds what is kept of it: the result says so.
func TestQueueLongOutputs(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home := t.TempDir()
	do := func(args ...string) string {
		t.Helper()
		out, err := queueCommand(append(args, "--dir", home)...)
		if err != nil {
			t.Fatalf("%v: %v, %.1000s", args, err, out)
		}
		return out
	}
	work := func(name, most, line string) {
		t.Helper()
		if out, err := queueCommand("work", name, "--dir", home, "--until-empty", "--output-max", most, "--tries", "1", "-c", line); err != nil {
			t.Fatalf("%s: %v, %.1000s", name, err, out)
		}
	}
	push := func(name string, values ...string) {
		t.Helper()
		if out, err := queueCommand(append([]string{"push", name, "--dir", home}, values...)...); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}

	// A file of 100 GiB that takes no room on the disk: to read all of it fails.
	push("cut", ":::", "1", "2")
	work("cut", "5", "echo {}; if test {} = 1; then truncate -s 100G /proc/self/fd/1; else head -c 1048576 /dev/zero >&2; fi")
	out := do("results", "cut")
	for _, want := range []string{
		`"stdout":"1\n\u0000\u0000\u0000","stderr":"","stdout_bytes":107374182400}`,
		`"stdout":"2\n","stderr":"\u0000\u0000\u0000\u0000\u0000","stderr_bytes":1048576}`,
		"sweetspot queue: job 1 wrote 100 GiB to stdout, and only the beginning was kept: see --output-max of queue work\n",
		"sweetspot queue: job 2 wrote 1 MiB to stderr, and only the beginning was kept: see --output-max of queue work\n",
	} {
		if strings.Count(out, want) != 1 {
			t.Errorf("results: %s, want %s", out, want)
		}
	}

	// Longer than one object of the store.
	push("parts", ":::", "9000000", "10")
	work("parts", "16M", "head -c {} /dev/zero | tr '\\0' x; head -c 300000 /dev/zero | tr '\\0' y >&2")
	if out := do("results", "parts", "--stdout"); out != strings.Repeat("x", 9000010) {
		t.Errorf("results --stdout has %d bytes, %d of them x, want 9000010", len(out), strings.Count(out, "x"))
	}
	if out := do("results", "parts"); strings.Contains(out, "bytes") || strings.Count(out, "y") != 600000 {
		t.Errorf("results has %d bytes of stderr, want 600000, and nothing that was cut: %.200s", strings.Count(out, "y"), out)
	}

	// A long record without any output.
	long := strings.Repeat("v", 100_000)
	push("values", ":::", long, ":::", long, ":::", long)
	work("values", "16M", "true")
	if out := do("results", "values"); strings.Count(out, long) != 3 || !strings.Contains(out, `"stdout":"","stderr":""`) {
		t.Errorf("results of long values: %d bytes: %.200s", len(out), out)
	}

	// What does not come to be kept leaves nothing in the store.
	push("failed", ":::", "1")
	work("failed", "16M", "head -c 300000 /dev/zero; exit 1")
	do("retry-failed", "failed")
	work("failed", "16M", "true")
	if out := do("results", "failed", "--stdout"); out != "" {
		t.Errorf("the output of a job that failed and was tried anew: %.200q", out)
	}
}

// Long outputs of a job whose result another worker has recorded meanwhile do not stay.
func TestQueueOutputsOfLostRace(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	dir := t.TempDir()
	to, nc := elsewhere(t, t.TempDir())
	if out, err := queueCommand(concat([]string{"push", "q"}, to, []string{":::", "300000", "300001"})...); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	began, end := filepath.Join(dir, "began"), filepath.Join(dir, "end")
	worker := speaks(t, concat([]string{"work", "q"}, to, []string{"-j", "1", "--until-empty", "-c", fmt.Sprintf("touch %s; until [ -e %s ]; do sleep 0.01; done; head -c {} /dev/zero", began, end)})...)
	awaitFiles(t, began, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := need(jetstream.New(nc))(t)
	need(need(js.KeyValue(ctx, "sweetspot_q"))(t).Create(ctx, "job.1", []byte(`{"version":1,"job":1,"state":"done","values":["300000"],"stdout":"the other's","stderr":""}`)))(t)
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := awaitEnd(worker.Cmd); err != nil {
		t.Fatalf("%v, %s", err, worker)
	}
	if objects := need(need(js.ObjectStore(ctx, "sweetspot_q"))(t).List(ctx))(t); len(objects) != 1 || !strings.HasPrefix(objects[0].Name, "2.") {
		t.Errorf("%d objects are in the store, want that of job 2 alone: %+v", len(objects), objects[0])
	}
	if out, err := queueCommand(concat([]string{"results", "q"}, to)...); err != nil || strings.Count(out, "\n") != 2 || !strings.Contains(out, "the other's") {
		t.Errorf("results: %v, %.300s", err, out)
	}
}
