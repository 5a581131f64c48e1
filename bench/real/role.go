package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/program"
)

// This program starts itself again in other roles. A role gets its arguments
// as "-role NAME ARGUMENT", and a pipe as its standard input that nobody writes
// to: when the pipe ends, the one who started it is gone, however it died.
const (
	roleFlag    = "-role"
	roleMeasure = "measure"
	roleServer  = "server"
	roleHog     = "hog"
)

// play plays the role that the arguments name, and reports whether they name
// one.
func play(args []string) (played bool, err error) {
	if len(args) != 3 || args[0] != roleFlag {
		return false, nil
	}
	switch args[1] {
	case roleMeasure:
		return true, measureTask(args[2])
	case roleServer:
		return true, serve()
	case roleHog:
		hog()
	}
	return true, fmt.Errorf("no role %q", args[1])
}

// orphaned returns when the one who started this process is gone.
func orphaned() { _, _ = io.Copy(io.Discard, os.Stdin) }

// measureTask makes the measurement described and prints the result.
func measureTask(description string) error {
	var t task
	if err := json.Unmarshal([]byte(description), &t); err != nil {
		return err
	}
	w, err := named(t.Workload)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(program.Context())
	defer cancel(nil)
	go func() {
		orphaned()
		cancel(errors.New("whoever started the measurement is gone"))
	}()
	res, err := w.run(ctx, t)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(res)
}

// A helper is a process of ours in some role. It stays in the process group of
// the one who started it, so that both end together.
type helper struct {
	cmd  *exec.Cmd
	life io.Closer // its standard input
	out  *bufio.Reader
}

func startRole(role, argument string) (*helper, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	h := &helper{cmd: exec.Command(self, roleFlag, role, argument)}
	h.cmd.Env = append(os.Environ(), "GOMEMLIMIT=off")
	if role == roleHog {
		h.cmd.Env = append(h.cmd.Env, "GOMAXPROCS=1")
	}
	h.cmd.Stderr = os.Stderr
	if h.life, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	h.out = bufio.NewReader(out)
	if err := h.cmd.Start(); err != nil {
		return nil, err
	}
	return h, nil
}

// line returns the first line that the helper prints.
func (h *helper) line() (string, error) {
	late := time.AfterFunc(10*time.Second, func() { _ = h.cmd.Process.Kill() })
	defer late.Stop()
	s, err := h.out.ReadString('\n')
	return strings.TrimSpace(s), err
}

// kill ends the helper and waits until it is gone, so that its CPU time is
// known.
func (h *helper) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.life.Close()
	_ = h.cmd.Wait() // "signal: killed" is what was wanted
}
