package lab

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

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A server is a child process that serves: see Serve. It ends with its standard
// input, which ends with this process.
type server struct {
	process   *exec.Cmd
	stdin     io.Closer
	complaint bytes.Buffer
	address   string
}

const (
	// startMost is what a server may take to start, and endMost to end. Both take
	// some milliseconds; one that takes as long as this hangs.
	startMost = 30 * time.Second
	endMost   = 10 * time.Second
)

// startServer starts a server with that many threads for its goroutines.
func startServer(o service, threads int) (*server, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	process, err := child(context.Background(), "serve", string(text))
	if err != nil {
		return nil, err
	}
	s := &server{process: process}
	s.process.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", threads))
	s.process.Stderr = &s.complaint
	s.process.WaitDelay = endMost
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	hung := time.AfterFunc(startMost, func() { s.process.Process.Kill() })
	s.address, err = readAddress(out)
	hung.Stop()
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *server) stop() error {
	s.stdin.Close()
	hung := time.AfterFunc(endMost, func() { s.process.Process.Kill() })
	defer hung.Stop()
	if err := s.process.Wait(); err != nil {
		return fmt.Errorf("server: %w: %s", err, lastLines(s.complaint.String()))
	}
	return nil
}

type fleet struct {
	servers []*server
	address string // for clients
	step    int64  // how many number for themselves
}

func (f *fleet) start(o service, threads int) error {
	s, err := startServer(o, threads)
	if err != nil {
		return err
	}
	f.servers = append(f.servers, s)
	f.address = s.address
	return nil
}

func (f *fleet) stop() error {
	return allAtOnce(context.Background(), len(f.servers), func(_ context.Context, i int) error { return f.servers[i].stop() })
}

// child returns a process of this program that runs a hidden command of lab, such
// as measure. It is killed when ctx is done and, on Linux, when this process ends
// in any way, so that no orphan goes on measuring.
func child(ctx context.Context, args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot start a process of this program, because its path is unknown: %w", err)
	}
	c := exec.CommandContext(ctx, self, append([]string{"lab"}, args...)...)
	dissect.EndWithParent(c)
	return c, nil
}
