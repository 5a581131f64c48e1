package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// Jobs that the kernel kills for want of memory run again, each alone.
func TestKilledForMemoryRunsAgain(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	group := memoryGroup(t, 640<<20) // sweetspot itself, under the race detector, takes 100 MB of it
	// tail holds the whole of a line, for as long as it has not seen its end.
	const job = "(head -c 300M /dev/zero; sleep 1) | tail >/dev/null && echo held"
	out, err := exec.Command("sh", "-c", `echo $$ >"$0"/cgroup.procs && exec sweetspot run -j 3 -c "$1" ::: a b c`, group, job).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "was killed for want of memory; it runs again, alone") {
		t.Errorf("nothing says that a job was killed:\n%s", out)
	}
	if n := strings.Count(string(out), "held\n"); n != 3 {
		t.Errorf("%d of 3 jobs have held their 300 MiB:\n%s", n, out)
	}
}

// memoryGroup makes a cgroup with so much memory, and removes it at the end.
func memoryGroup(t *testing.T, bytes int) string {
	t.Helper()
	name := "sweetspot-test-" + strconv.Itoa(os.Getpid())
	for _, kind := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
		{"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(kind.root, name)
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() {
			for range 100 { // its last process may be on its way out
				if os.Remove(dir) == nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("cannot remove %s", dir)
		})
		if os.WriteFile(filepath.Join(dir, kind.limit), []byte(strconv.Itoa(bytes)), 0o644) == nil {
			return dir
		}
	}
	t.Skip("needs a cgroup with a limit of its own for memory, which root can make")
	return ""
}
