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
	all()                              // what the runtime and os/signal start once, they keep
	time.Sleep(200 * time.Millisecond) // what ends later raises what is allowed
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 3 {
		all()
	}
	// Goroutines that are about to end need a moment.
	for until := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines || openFiles(t) > files; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines and %d files open, %d and %d before:\n%s", runtime.NumGoroutine(), openFiles(t), goroutines, files, buf[:runtime.Stack(buf, true)])
		}
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
