package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

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
