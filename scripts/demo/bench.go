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
	"strings"
	"time"
)

// A bench runs the command under test.
type bench struct {
	command string
	cut     time.Duration // a run that takes longer is interrupted
}

// A run is what became of one call of the command.
type run struct {
	flag    string // the value of -j
	cut     bool   // interrupted, as it took too long
	summary summary
	explain string
	output  []byte
}

// A summary is the part of `sweetspot run --json` that the table needs.
type summary struct {
	Version int     `json:"version"`
	Jobs    int     `json:"jobs"`
	Failed  int     `json:"failed"`
	Seconds float64 `json:"seconds"`
	Rate    float64 `json:"rate"`
	Limit   struct {
		Last int     `json:"last"`
		Mean float64 `json:"mean"`
		Max  int     `json:"max"`
	} `json:"limit"`
}

// compare runs argv over values with each fixed number and with auto, for
// which values is called with 0.
func (b bench) compare(fixed []int, argv []string, values func(j int) []string) ([]run, error) {
	var runs []run
	for _, j := range append(fixed, 0) {
		flag := "auto"
		if j > 0 {
			flag = strconv.Itoa(j)
		}
		r, err := b.run(flag, argv, values(j))
		if err != nil {
			return nil, fmt.Errorf("-j %s: %w", flag, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// run feeds values to one call of the command.
func (b bench) run(flag string, argv, values []string) (run, error) {
	dir, err := os.MkdirTemp("", "sweetspot-demo-")
	if err != nil {
		return run{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "summary.json")

	ctx, cancel := context.WithTimeout(context.Background(), b.cut)
	defer cancel()
	args := append([]string{"run", "-0", "-j", flag, "--explain", "--json", file, "--"}, argv...)
	cmd := exec.CommandContext(ctx, b.command, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stdin = strings.NewReader(strings.Join(values, "\x00") + "\x00")
	var out, explain bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &explain

	err = cmd.Run()
	r := run{flag: flag, cut: ctx.Err() != nil, explain: explain.String(), output: out.Bytes()}
	if err != nil && !r.cut {
		return run{}, fmt.Errorf("%w\n%s", err, r.explain)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return run{}, err
	}
	if err := json.Unmarshal(text, &r.summary); err != nil {
		return run{}, fmt.Errorf("summary: %w", err)
	}
	if r.summary.Version != 1 {
		return run{}, fmt.Errorf("summary has version %d, this program reads version 1", r.summary.Version)
	}
	if r.summary.Failed > 0 && !r.cut {
		return run{}, fmt.Errorf("%d of %d jobs failed", r.summary.Failed, r.summary.Jobs)
	}
	return r, nil
}
