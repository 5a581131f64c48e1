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
	"strings"
	"time"
)

// endWithin is how much longer than its task a measurement may take: units that
// run at the cut are waited for, and hundreds of them take a while.
const endWithin = time.Minute

// launch makes a measurement in a fresh process, so that neither a heap nor
// anything learnt carries over. When it returns, no process of it is left. What
// the process writes to stderr goes to messages.
func launch(ctx context.Context, w workload, t task, messages io.Writer) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	description, err := json.Marshal(t)
	if err != nil {
		return result{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.length()+endWithin,
		fmt.Errorf("the measurement did not end within %v after its time of %v", endWithin, t.length()))
	defer cancel()
	cmd := exec.CommandContext(ctx, self, roleFlag, roleMeasure, string(description))
	cmd.Env = append(os.Environ(), w.env...)
	cmd.Cancel = func() error { return endGroup(cmd) }
	cmd.WaitDelay = 8 * time.Second // more than sweetspot run gives its jobs
	ownGroup(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(&stderr, messages)
	life, err := cmd.StdinPipe()
	if err != nil {
		return result{}, err
	}
	defer life.Close()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	err = cmd.Wait()
	clearGroup(cmd)
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	if err != nil {
		if said := lastLine(stderr.String()); said != "" {
			err = errors.New(said)
		}
		return result{}, err
	}
	var res result
	if err := json.Unmarshal([]byte(lastLine(stdout.String())), &res); err != nil {
		return result{}, fmt.Errorf("the measurement printed no result: %w", err)
	}
	return res, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
