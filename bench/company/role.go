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
	"time"
)

// This program starts itself again as "-role NAME ARGUMENT". A crew gets a pipe as its
// standard input that nobody writes to: when that ends, the one who started it is gone.
const (
	roleFlag = "-role"
	roleCrew = "crew" // the argument describes it
	roleAsk  = "ask"  // a job of sweetspot run: the address of the server
)

// play plays the role that the arguments name, and reports whether they name one.
func play(args []string) (played bool, err error) {
	if len(args) < 3 || args[0] != roleFlag {
		return false, nil
	}
	switch args[1] {
	case roleCrew:
		return true, playCrew(args[2])
	case roleAsk:
		c := &client{address: args[2]}
		return true, c.ask()
	}
	return true, fmt.Errorf("no role %q", args[1])
}

func playCrew(description string) error {
	var c crew
	if err := json.Unmarshal([]byte(description), &c); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel(errors.New("the one who started the measurement is gone"))
	}()
	r, err := c.work(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// launch has another process of this program work as a crew.
func launch(ctx context.Context, c crew) (result, error) {
	self, err := os.Executable()
	if err != nil {
		return result{}, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return result{}, err
	}
	cmd := exec.CommandContext(ctx, self, roleFlag, roleCrew, string(text))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	life, err := cmd.StdinPipe()
	if err != nil {
		return result{}, err
	}
	defer life.Close()
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	if err := cmd.Wait(); err != nil {
		return result{}, fmt.Errorf("a process of the situation: %w", err)
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return result{}, fmt.Errorf("a process of the situation said %q: %w", out.String(), err)
	}
	r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() / time.Since(began).Seconds()
	return r, nil
}
