//go:build unix

package main_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Each key does what its role needs, on a queue that it makes itself, and nothing else.
func TestQueueRoles(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	home := t.TempDir()
	url := startServer(t, home)
	as := func(key, command string, args ...string) (string, error) {
		return queueCommand(concat([]string{command}, []string{"--server", url, "--nkey", filepath.Join(home, key)}, args)...)
	}
	do := func(key, command string, args ...string) string {
		t.Helper()
		out, err := as(key, command, args...)
		if err != nil {
			t.Errorf("%s %s %v: %v, %s", key, command, args, err, out)
		}
		return out
	}
	do("push.nk", "push", "q", ":::", "1", "300000", "fail")
	// A lease, a limit for all, a result, one that is too long for a message, and one of a failure.
	work := []string{"q", "--until-empty", "--lease", "5s", "--fleet", "--tries", "2", "--pause", "1ms", "-c", `[ {} = fail ] && exit 7; head -c {} /dev/zero | tr '\0' x`}
	do("work.nk", "work", work...)
	do("work.nk", "work", "of-worker", "--until-empty", "true")
	if out := do("user.nk", "results", "q"); strings.Count(out, `"state":"done"`) != 2 || !strings.Contains(out, strings.Repeat("x", 300000)) || !strings.Contains(out, `"status":7`) {
		t.Errorf("results: %.2000s", out)
	}
	do("user.nk", "status")

	var all sync.WaitGroup
	for _, key := range []string{"push.nk", "work.nk"} {
		for _, args := range [][]string{
			{"status", "q"}, {"results", "q"}, {"retry-failed", "q"}, {"drain", "q"}, {"delete", "q", "--force"},
			{"scale", "q", "--", "true"},
		} {
			if key == "work.nk" && args[0] == "status" {
				continue // workers ask the same questions
			}
			all.Go(func() {
				if out, err := as(key, args[0], args[1:]...); err == nil || !strings.Contains(out, "our key does not allow that") {
					t.Errorf("%s %v: %v, %s; want that it is refused", key, args, err, out)
				}
			})
		}
	}
	for key, args := range map[string][]string{"push.nk": {"work", "q", "--until-empty", "true"}, "work.nk": {"push", "q", ":::", "1"}} {
		all.Go(func() {
			if out, err := as(key, args[0], args[1:]...); err == nil || !strings.Contains(out, "our key does not allow that") {
				t.Errorf("%s %v: %v, %s; want that it is refused", key, args, err, out)
			}
		})
	}
	all.Wait()
	if out := do("user.nk", "retry-failed", "q"); !strings.Contains(out, "1 job of q to be tried anew") {
		t.Error(out)
	}
	if out := do("user.nk", "delete", "q", "--force"); !strings.Contains(out, "deleted q: 3 results, and 1 job without one") {
		t.Error(out)
	}
}
