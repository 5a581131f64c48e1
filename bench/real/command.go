package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/score"
)

// runSHA hashes files.
func runSHA(ctx context.Context, t task) (result, error) {
	return runCommand(ctx, t, t.Files, "sha256sum")
}

// runSleep waits.
func runSleep(ctx context.Context, t task) (result, error) {
	return runCommand(ctx, t, []string{"0.2"}, "sleep")
}

// runCommand gives a command an endless stream of values, in turn, through
// "sweetspot run", and interrupts it when the time is over. Jobs that then run
// are ended and not counted.
func runCommand(ctx context.Context, t task, values []string, command ...string) (result, error) {
	dir, err := os.MkdirTemp("", "sweetspot-real-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "summary.json")
	jobs := "auto"
	if t.Fixed > 0 {
		jobs = strconv.Itoa(t.Fixed)
	}
	args := []string{"run", "-j", jobs, "--json", file}
	if t.Fixed == 0 && t.Law != "" {
		args = append(args, "--law", t.Law)
	}
	if t.Max > 0 {
		args = append(args, "--max", strconv.Itoa(t.Max))
	}
	cmd := exec.Command(t.Binary, append(append(args, "--"), command...)...)
	var messages bytes.Buffer
	cmd.Stderr = &messages
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return result{}, err
	}
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	feeding := make(chan struct{})
	go func() {
		defer close(feeding)
		feed(stdin, values)
	}()
	early := waitOrInterrupt(ctx, cmd, t.length())
	_ = stdin.Close()
	<-feeding
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	s, err := readSummary(file)
	switch {
	case early || err != nil:
		return result{}, fmt.Errorf("sweetspot run -j %s: %v: %s", jobs, cmd.ProcessState, firstLine(messages.String(), err))
	case s.Failed > int64(s.Limit.Max):
		// Those that were running when it was interrupted are no failures.
		return result{}, fmt.Errorf("sweetspot run -j %s: %d of %d jobs failed, more than the %d that were interrupted: %s",
			jobs, s.Failed, s.Jobs, s.Limit.Max, firstLine(messages.String(), nil))
	}
	res := s.result()
	if t.Fixed > 0 {
		res.Changes = nil
	} else if t.Verbose {
		for _, c := range res.Changes {
			fmt.Fprintln(os.Stderr, c)
		}
	}
	return res, nil
}

// waitOrInterrupt lets cmd run for a time and then interrupts it. It returns
// when cmd has ended, and whether it did so too early.
func waitOrInterrupt(ctx context.Context, cmd *exec.Cmd, d time.Duration) (early bool) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // ProcessState has it
	}()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ended:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	interrupt(cmd.Process)
	select {
	case <-ended:
	case <-time.After(20 * time.Second): // it kills its jobs after 5 s
		_ = cmd.Process.Kill()
		<-ended
	}
	return false
}

// feed writes the values, a line each, again and again until nobody reads.
func feed(w io.Writer, values []string) {
	lines := []byte(strings.Join(values, "\n") + "\n")
	lines = bytes.Repeat(lines, 1+4096/len(lines)) // few and large writes
	for {
		if _, err := w.Write(lines); err != nil {
			return
		}
	}
}

// firstLine returns what a failed command says for itself, or else err.
func firstLine(messages string, err error) string {
	if s, _, _ := strings.Cut(strings.TrimSpace(messages), "\n"); s != "" {
		return s
	}
	if err != nil {
		return err.Error()
	}
	return "no message"
}

// A summary is what is needed of "sweetspot run --json", version 1.
type summary struct {
	Version int     `json:"version"`
	Jobs    int64   `json:"jobs"`
	Failed  int64   `json:"failed"`
	Seconds float64 `json:"seconds"`
	Limit   struct {
		Mean float64 `json:"mean"`
		Max  int     `json:"max"`
	} `json:"limit"`
	Trace []struct {
		At    float64 `json:"at"`
		Limit int     `json:"limit"`
	} `json:"trace"`
	Changes []change `json:"changes"`
}

func readSummary(file string) (*summary, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("it wrote no summary")
	}
	s := new(summary)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("its summary cannot be read: %w", err)
	}
	if s.Version != 1 || s.Seconds <= 0 {
		return nil, fmt.Errorf("its summary has version %d and %v s: want version 1 and more than 0 s", s.Version, s.Seconds)
	}
	return s, nil
}

func (s *summary) result() result {
	points := make([]score.Point, len(s.Trace))
	for i, p := range s.Trace {
		points[i] = score.Point{At: p.At, Limit: p.Limit}
	}
	return result{
		Units: s.Jobs - s.Failed, Seconds: s.Seconds, Rate: float64(s.Jobs-s.Failed) / s.Seconds,
		Limit: s.Limit.Mean, LastThird: score.LastThird(points, s.Seconds), Changes: s.Changes,
	}
}
