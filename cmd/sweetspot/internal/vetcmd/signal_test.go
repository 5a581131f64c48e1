//go:build unix

package vetcmd_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A signal while the go command runs ends vet with the exit status that a shell expects.
func TestEndsBySignal(t *testing.T) {
	late := make(chan os.Signal, 1) // or one that comes late would end the test
	signal.Notify(late, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(late)
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, status := range map[string]int{"INT": 130, "TERM": 143} {
		script := "#!/bin/sh\nkill -" + name + " $PPID\nexec sleep 60\n"
		if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		if out, diagnostics, code := command(t, t.TempDir()); code != status || out != "" || strings.Count(diagnostics, "\n") > 0 {
			t.Errorf("%s: exit %d, %q, %q; want %d", name, code, out, diagnostics, status)
		}
	}
}
