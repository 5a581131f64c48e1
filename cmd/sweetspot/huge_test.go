//go:build linux

package main_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var hugeOutput = flag.Int64("huge", 100<<20, "how many bytes each job of TestHugeOutput writes")

// hugeMemory is what a run may need, however much its jobs write: 22 MB, some 50 with
// --line-buffer, and 120 under the race detector.
const hugeMemory = 160 << 20

// Outputs larger than the memory that a run may have are printed whole, and kept.
//
//	go test -run HugeOutput ./cmd/sweetspot -args -huge 10737418240
func TestHugeOutput(t *testing.T) {
	rerun.Skip(t)
	for _, test := range []struct {
		name, flags, job string
		bytes, lines     int64 // of each job
	}{
		{"in one piece", "-j 2", "truncate -s %d /dev/stdout", *hugeOutput, 0}, // sparse
		{"in order", "-j 2 -k", "[ {} = 2 ] || sleep 0.2; truncate -s %d /dev/stdout", *hugeOutput, 0},
		{"in lines", "-j 2 --line-buffer --tag", "yes 1234567 | head -c %d", *hugeOutput / 4, *hugeOutput / 32},
		{"kept", "-j 2 --results results", "truncate -s %d /dev/stdout", *hugeOutput, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"run"}, strings.Fields(test.flags)...)
			cmd := exec.Command("sweetspot", append(args, "-c", fmt.Sprintf(test.job, test.bytes), ":::", "1", "2")...)
			cmd.Dir, cmd.Stderr = t.TempDir(), os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			peak := highWater{pid: cmd.Process.Pid}
			n, err := io.Copy(&peak, out)
			if werr := cmd.Wait(); err != nil || werr != nil {
				t.Fatal(err, werr)
			}
			if want := 2 * (test.bytes + test.lines*int64(len("1\t"))); n != want {
				t.Errorf("%d bytes were printed, want %d", n, want)
			}
			t.Logf("%d MB were printed in %d MB of memory", n>>20, peak.bytes>>20)
			if peak.bytes == 0 || peak.bytes > hugeMemory {
				t.Errorf("%d MB of memory, want at most %d", peak.bytes>>20, hugeMemory>>20)
			}
		})
	}
}

// highWater takes the output of a process, and remembers the most memory that the process
// has held. Rusage.Maxrss would not do: a child inherits it from the process that started it.
type highWater struct {
	pid   int
	bytes int64
}

func (h *highWater) Write(p []byte) (int, error) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", h.pid))
	if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
		var kB int64
		if _, err := fmt.Sscan(rest, &kB); err != nil {
			return 0, err
		}
		h.bytes = max(h.bytes, kB<<10)
	}
	return len(p), nil
}
