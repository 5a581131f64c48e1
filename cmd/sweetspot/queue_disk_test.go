//go:build linux

package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a disk that is full NATS stores nothing, and says nothing. push ends with a word all the
// same, what was confirmed stays, and once there is room the server and the workers go on.
// It takes some 10 s, so it is one of the long forms.
func TestQueueDiskFull(t *testing.T) {
	if *queueJobs < 1000 {
		t.Skip("a long form: -args -queuejobs 1000 or more")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	address := reserve(t)
	home := filepath.Join(dir, "queues")
	server := speaks(t, "serve", "--dir", home, "--listen", address)
	server.awaits("serving")
	if out, err := queueCommand("push", "q", "--dir", home, ":::", "1", "2", "3"); err != nil {
		t.Fatal(err, out)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 20<<20), 0o600); err == nil {
		t.Fatal("20 MB find room on a disk of 12")
	}
	var values []string
	for i := range 5000 {
		values = append(values, fmt.Sprint(i))
	}
	out, err := queueCommand(append([]string{"push", "q", "--dir", home, ":::"}, values...)...)
	if want := "the queue q takes no jobs: the server answers, but stores nothing: is its disk full?"; err == nil || !strings.Contains(out, want) {
		t.Errorf("push: %v, %s; want %s", err, out, want)
	}
	var more int
	for line := range strings.Lines(out) {
		_, _ = fmt.Sscanf(line, "sweetspot queue: pushed %d job", &more)
	}
	server.awaits("cannot write to ")
	worker := speaks(t, "work", "q", "--dir", home, "--until-empty", "echo")
	worker.awaits("waiting: the server answers, but stores nothing: is its disk full?")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	server.awaits("there is room again")
	worker.awaits("goes on")
	if err := awaitEnd(worker.Cmd); err != nil {
		t.Error(err, worker)
	}
	if out, err := queueCommand("results", "q", "--dir", home); err != nil || strings.Count(out, `"state":"done"`) < 3+more {
		t.Errorf("%v, %d results, want those of %d jobs whose push was confirmed", err, strings.Count(out, `"state":"done"`), 3+more)
	}
	_ = server.Process.Signal(syscall.SIGTERM)
	_ = awaitEnd(server.Cmd)
}
