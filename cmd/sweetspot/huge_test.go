//go:build linux

package main_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
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
			n, err := io.Copy(io.Discard, out)
			if werr := cmd.Wait(); err != nil || werr != nil {
				t.Fatal(err, werr)
			}
			if want := 2 * (test.bytes + test.lines*int64(len("1\t"))); n != want {
				t.Errorf("%d bytes were printed, want %d", n, want)
			}
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("%d MB were printed in %d MB of memory", n>>20, peak>>20)
			if peak > hugeMemory {
				t.Errorf("%d MB of memory, want at most %d", peak>>20, hugeMemory>>20)
			}
		})
	}
}
