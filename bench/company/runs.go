package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// runJobs has sweetspot run do so many jobs, each of which asks the server once.
func runJobs(ctx context.Context, binary string, c crew, jobs int) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	dir, err := os.MkdirTemp("", "sweetspot-company-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "summary.json")
	args := []string{"run", "--config", "", "--json", file}
	switch {
	case c.Fixed > 0:
		args = append(args, "-j", strconv.Itoa(c.Fixed))
	case c.Share != "":
		args = append(args, "--share", c.Share)
	}
	cmd := exec.CommandContext(ctx, binary, append(args, self, roleFlag, roleAsk, c.Server)...)
	cmd.Stdin = bytes.NewReader(bytes.Repeat([]byte("x\n"), jobs))
	cmd.WaitDelay = time.Minute
	if said, err := cmd.CombinedOutput(); err != nil {
		return result{}, fmt.Errorf("sweetspot run: %w: %s", err, said)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return result{}, err
	}
	var s struct {
		Jobs    int
		Seconds float64
		Limit   struct{ Last int }
		Changes []struct {
			At       float64
			From, To int
			Reason   string
		}
	}
	if err := json.Unmarshal(text, &s); err != nil || s.Jobs != jobs {
		return result{}, fmt.Errorf("sweetspot run did %d of %d jobs: %v", s.Jobs, jobs, err)
	}
	if c.Verbose {
		for _, x := range s.Changes {
			fmt.Fprintf(os.Stderr, "%8.2f s  %4d → %-4d  %s\n", x.At, x.From, x.To, x.Reason)
		}
	}
	return result{Rates: []float64{float64(jobs) / s.Seconds}, Limits: []int{s.Limit.Last}}, nil
}
