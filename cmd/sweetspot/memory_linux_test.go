package main_test

import (
	"encoding/json"
	"fmt"
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

// Jobs that most likely fit start together, and some are suspended when they do not. None
// is killed, and each ends.
func TestJobsAreSuspendedForMemory(t *testing.T) {
	rerun.Skip(t)
	t.Parallel()
	const jobs = 16
	group := memoryGroup(t, 640<<20)
	summary := filepath.Join(t.TempDir(), "summary.json")
	// tail holds the whole of a line: 60 or 240 MB in the end.
	const job = `n=$((10 + $1 % 3 / 2 * 30)); for i in 1 2 3 4 5 6; do head -c ${n}M /dev/zero; sleep .04; done | tail >/dev/null && echo held`
	var what []string
	for range 2 { // on a busy machine a job may grow on before it is suspended
		out, err := exec.Command("sh", "-c", `echo $$ >"$0"/cgroup.procs && seq "$3" | exec sweetspot run --learn=false --json "$2" -c "$1"`,
			group, job, summary, strconv.Itoa(jobs)).CombinedOutput()
		if n := strings.Count(string(out), "held\n"); err != nil || n != jobs {
			t.Fatalf("%d of %d jobs have held their memory: %v\n%s", n, jobs, err, out)
		}
		b, err := os.ReadFile(summary)
		if err != nil {
			t.Fatal(err)
		}
		var s struct{ Suspensions int }
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		kills := strings.Count(string(out), "was killed for want of memory")
		if s.Suspensions > 0 && kills == 0 {
			return
		}
		what = append(what, fmt.Sprintf("%d suspensions and %d kills", s.Suspensions, kills))
	}
	t.Errorf("%s; want suspensions, and no job killed", strings.Join(what, ", "))
}

// memoryGroup makes a cgroup with so much memory, and removes it at the end.
func memoryGroup(t *testing.T, bytes int) string {
	t.Helper()
	name := "sweetspot-test-" + strconv.Itoa(os.Getpid()) + "-" + t.Name()
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
