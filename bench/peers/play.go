package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// An order tells a fresh process what to measure.
type order struct {
	Group   string  `json:"group"`
	Subject string  `json:"subject"`
	Procs   int     `json:"procs"` // of the whole measurement; the subject has its own
	Quick   bool    `json:"quick"`
	Spins   float64 `json:"spins"`
}

// sampleFlag is the only flag of a process that measures; an order follows.
const sampleFlag = "-sample"

// longest is what a process that measures may take. None takes nearly as long,
// so one that does hangs. It also ends a process whose starter was killed.
const longest = 2 * time.Minute

// play measures what the arguments order, prints the result, and reports
// whether they order anything.
func play(args []string, out io.Writer) (played bool, err error) {
	if len(args) != 2 || args[0] != sampleFlag {
		return false, nil
	}
	time.AfterFunc(longest, func() {
		fmt.Fprintf(os.Stderr, "no end within %v\n", longest)
		os.Exit(1)
	})
	var o order
	if err := json.Unmarshal([]byte(args[1]), &o); err != nil {
		return true, err
	}
	s, err := find(o.Group, o.Subject, o.Procs, o.Quick)
	if err != nil {
		return true, err
	}
	if have := runtime.GOMAXPROCS(0); have != s.procs {
		return true, fmt.Errorf("GOMAXPROCS is %d, but %s wants %d", have, s.id(), s.procs)
	}
	r, err := measure(s.set(environment{spins: o.Spins, procs: s.procs, items: s.items}), s.once)
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(out).Encode(r)
}

// launch carries an order out in a fresh process of this program. GOMAXPROCS is
// set from the start: a process that changes it measures slower than one that
// began with it (golang/go#49980).
func launch(ctx context.Context, o order, procs int) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return result{}, err
	}
	cmd := exec.CommandContext(ctx, self, sampleFlag, string(text))
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return result{}, ctx.Err()
		}
		// The first line of a crash says what happened, the rest where.
		if said, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); said != "" {
			err = errors.New(strings.TrimPrefix(said, "peers: "))
		}
		return result{}, err
	}
	var r result
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		return result{}, fmt.Errorf("the process printed no result: %w", err)
	}
	return r, nil
}
