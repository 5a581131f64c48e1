//go:build linux

package run_test

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A run leaves no goroutine, no open file and no child process behind.
func TestRunLeaksNothing(t *testing.T) {
	list := t.TempDir() + "/list"
	if err := os.WriteFile(list, []byte(strings.Repeat("x\n", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	once := func(args ...string) {
		t.Helper()
		c := run.Command()
		c.SetArgs(args)
		c.SetOut(io.Discard)
		if err := c.Execute(); err != nil {
			t.Fatal(err)
		}
	}
	all := func() {
		once("-j", "40", "-a", list, "-c", "sleep 0.05")
		once("-k", "-a", list, "--json", os.DevNull, "true")
		once("-k", "-a", list, "-c", "(sleep 0.2; echo late) & true")
		once("true", ":::", "1", "2")
		dir := t.TempDir()
		once("-a", list, "--joblog", dir+"/log", "--results", dir+"/results", "--line-buffer", "--tag", "--timeout", "1h", "true")
		once("-a", list, "--joblog", dir+"/log", "--resume", "--retries", "2", "--halt", "now,fail=50%", "true")
		once("--retries", "0", "-c", "test -e "+dir+"/x || ! touch "+dir+"/x", ":::", "1")
	}
	all()                          // what the runtime and os/signal start once, they keep
	settle := func(want int) int { // goroutines that are about to end need a moment
		n := 0
		for range 40 {
			if n = runtime.NumGoroutine(); n <= want {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		return n
	}
	goroutines, files := settle(0), openFiles(t)
	for range 3 {
		all()
	}
	if n := settle(goroutines); n > goroutines {
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, %d before:\n%s", n, goroutines, buf[:runtime.Stack(buf, true)])
	}
	if n := openFiles(t); n > files {
		t.Errorf("%d files open, %d before", n, files)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}
