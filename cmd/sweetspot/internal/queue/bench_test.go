//go:build unix

package queue_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWork compares what the shortest jobs cost as jobs of a queue with what they cost
// sweetspot run. Each iteration does 3,000 jobs of true, two at a time, with each in turn, and
// pushes them before: to a home whose disk keeps what is confirmed, and to one that does not
// wait for its disk. It reports medians of wall and CPU time for a job, of the ratios to run in
// the same iteration, and how many jobs are pushed in a second.
//
//	go test -run '^$' -bench Work -benchtime 9x .
func BenchmarkWork(b *testing.B) {
	sweetspot := filepath.Join(b.TempDir(), "sweetspot")
	if out, err := exec.Command("go", "build", "-o", sweetspot, "../..").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	const jobs = 3000
	var list bytes.Buffer
	for i := range jobs {
		fmt.Fprintln(&list, i)
	}
	do := func(input []byte, args ...string) (wall, cpu float64) {
		// What was written before is on the disk: a flush would wait for it.
		syscall.Sync()
		c := exec.Command(sweetspot, args...)
		c.Stdin = bytes.NewReader(input)
		began := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
		}
		wall = time.Since(began).Seconds()
		use := c.ProcessState.SysUsage().(*syscall.Rusage)
		return wall, time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
	}
	figures := map[string][]float64{}
	for b.Loop() {
		run, runCPU := do(list.Bytes(), "run", "-j2", "true")
		figures["run-ms/job"] = append(figures["run-ms/job"], run/jobs*1e3)
		figures["run-cpums/job"] = append(figures["run-cpums/job"], runCPU/jobs*1e3)
		for _, form := range []string{"sync", "nosync"} {
			home := "--dir=" + b.TempDir()
			if form == "nosync" {
				unsynced(b, sweetspot, home)
			}
			push, _ := do(list.Bytes(), "queue", "push", "q", home)
			work, workCPU := do(nil, "queue", "work", "q", home, "--until-empty", "-j2", "true")
			for unit, v := range map[string]float64{
				"-pushed/s": jobs / push, "-ms/job": work / jobs * 1e3, "-cpums/job": workCPU / jobs * 1e3, "-run/work": run / work,
			} {
				figures[form+unit] = append(figures[form+unit], v)
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for unit, all := range figures {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], unit)
	}
}

// unsynced has a home not wait for its disk, from now on.
func unsynced(b *testing.B, sweetspot, home string) {
	serve := exec.Command(sweetspot, "queue", "serve", "--sync=false", home)
	if err := serve.Start(); err != nil {
		b.Fatal(err)
	}
	for range 100 { // until it is ready to answer
		if exec.Command(sweetspot, "queue", "status", home).Run() == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		b.Fatal(err)
	}
}
