//go:build unix

package run_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkJobs compares what a job costs with xargs. Each iteration runs 2,000
// jobs of true and of echo with every tool in turn, so that all meet the same conditions.
// It reports the medians: wall and CPU time per job (of the tool and the job),
// and their ratios to xargs -P2 -n1 of the same round.
//
//	go test -bench Jobs -benchtime 10x ./internal/run
func BenchmarkJobs(b *testing.B) {
	xargs, err := exec.LookPath("xargs")
	if err != nil {
		b.Skip("no xargs to compare with")
	}
	sweetspot := filepath.Join(b.TempDir(), "sweetspot")
	if out, err := exec.Command("go", "build", "-o", sweetspot, "../..").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	const jobs = 2000
	var list bytes.Buffer
	for i := range jobs {
		fmt.Fprintln(&list, i)
	}
	tools := []struct {
		name      string
		argv      []string
		wall, cpu []float64
	}{
		{name: "xargs", argv: []string{xargs, "-P2", "-n1", "true"}},
		{name: "j2", argv: []string{sweetspot, "run", "-j2", "true"}},
		{name: "auto", argv: []string{sweetspot, "run", "true"}},
		{name: "echo-xargs", argv: []string{xargs, "-P2", "-n1", "/bin/echo"}},
		{name: "echo-j2", argv: []string{sweetspot, "run", "-j2", "/bin/echo"}},
		{name: "echo-auto", argv: []string{sweetspot, "run", "/bin/echo"}},
	}
	for b.Loop() {
		for i := range tools {
			t := &tools[i]
			c := exec.Command(t.argv[0], t.argv[1:]...)
			c.Stdin, c.Stderr = bytes.NewReader(list.Bytes()), os.Stderr
			began := time.Now()
			if err := c.Run(); err != nil {
				b.Fatalf("%s: %v", strings.Join(t.argv, " "), err)
			}
			t.wall = append(t.wall, time.Since(began).Seconds())
			// The tool has waited for its jobs, so its usage includes theirs.
			use := c.ProcessState.SysUsage().(*syscall.Rusage)
			t.cpu = append(t.cpu, time.Duration(use.Utime.Nano()+use.Stime.Nano()).Seconds())
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, t := range tools {
		peer := tools[0]
		if strings.HasPrefix(t.name, "echo") {
			peer = tools[3]
		}
		b.ReportMetric(median(t.wall)/jobs*1e6, t.name+"-µs/job")
		b.ReportMetric(median(t.cpu)/jobs*1e6, t.name+"-cpuµs/job")
		if t.name != peer.name {
			b.ReportMetric(median(ratios(t.wall, peer.wall)), t.name+"-wall/xargs")
			b.ReportMetric(median(ratios(t.cpu, peer.cpu)), t.name+"-cpu/xargs")
		}
	}
}

func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
