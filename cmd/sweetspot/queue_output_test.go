//go:build unix

package main_test

import (
	"strings"
	"testing"

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
		if out, err := queueCommand(append([]string{"push", name, "--dir", home, ":::"}, values...)...); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}

	// Files of 100 GiB that take no room on the disk: whoever reads all of them fails.
	push("cut", "1", "2")
	work("cut", "5", "echo {}; truncate -s 100G /proc/self/fd/{}")
	out := do("results", "cut")
	for _, want := range []string{
		`"stdout":"1\n\u0000\u0000\u0000","stderr":"","stdout_bytes":107374182400}`,
		`"stdout":"2\n","stderr":"\u0000\u0000\u0000\u0000\u0000","stderr_bytes":107374182400}`,
		"sweetspot queue: job 1 wrote 100 GiB to stdout, and only the beginning was kept: see --output-max of queue work\n",
		"sweetspot queue: job 2 wrote 100 GiB to stderr, and only the beginning was kept: see --output-max of queue work\n",
	} {
		if strings.Count(out, want) != 1 {
			t.Errorf("results: %s, want %s", out, want)
		}
	}

	// Longer than one object of the store.
	push("parts", "9000000", "10")
	work("parts", "16M", "head -c {} /dev/zero | tr '\\0' x; head -c {} /dev/zero | tr '\\0' y >&2")
	if out := do("results", "parts", "--stdout"); out != strings.Repeat("x", 9000010) {
		t.Errorf("results --stdout has %d bytes, %d of them x, want 9000010", len(out), strings.Count(out, "x"))
	}
	if out := do("results", "parts"); strings.Contains(out, "bytes") || strings.Count(out, "y") != 9000010 {
		t.Errorf("results has %d bytes of stderr, want 9000010, and nothing that was cut: %.200s", strings.Count(out, "y"), out)
	}

	// What does not come to be kept leaves nothing in the store.
	push("failed", "1")
	work("failed", "16M", "head -c 9000000 /dev/zero; exit 1")
	do("retry-failed", "failed")
	work("failed", "16M", "true")
	if out := do("results", "failed", "--stdout"); out != "" {
		t.Errorf("the output of a job that failed and was tried anew: %.200q", out)
	}
}
