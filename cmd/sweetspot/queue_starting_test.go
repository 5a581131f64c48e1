//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// INT and TERM end a command that reads a large store, to serve it. They do not wait for the store.
func TestQueueStartIsInterrupted(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	for _, test := range []struct {
		args   []string
		signal syscall.Signal
		status int
	}{
		{[]string{"serve", "--listen", "127.0.0.1:0"}, syscall.SIGINT, 0},
		{[]string{"serve", "--listen", "127.0.0.1:0"}, syscall.SIGTERM, 0},
		{[]string{"status", "q"}, syscall.SIGINT, 130},
		{[]string{"wait", "q"}, syscall.SIGTERM, 143},
	} {
		t.Run(test.args[0]+" "+test.signal.String(), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if out, err := queueCommand("push", "q", "--dir", home, ":::", "1"); err != nil {
				t.Fatalf("%v, %s", err, out)
			}
			// A pipe that nobody writes to is a file that takes for ever to read.
			meta := filepath.Join(home, "jetstream/jetstream/$G/streams/sweetspot_q/meta.inf")
			if err := os.Remove(meta); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(meta, 0o600); err != nil {
				t.Fatal(err)
			}
			c := speaks(t, append(test.args, "--dir", home)...)
			awaitFiles(t, filepath.Join(home, "starting"), 1)
			if err := c.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			_ = awaitEnd(c.Cmd)
			if got := c.ProcessState.ExitCode(); got != test.status {
				t.Errorf("it ended with %d, want %d: %s", got, test.status, c)
			}
			if want := "interrupted while it read the store, which is as it was"; !strings.Contains(c.String(), want) {
				t.Errorf("it says %s, want %s", c, want)
			}
		})
	}
}
