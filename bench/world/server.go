package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	readyWithin = 30 * time.Second // a server on a busy machine
	stopWithin  = 10 * time.Second // then it is killed
)

// A server is a program that serves until it gets a signal.
type server struct {
	program string
	args    []string
	stop    syscall.Signal                  // asks it to end without waiting for clients
	ready   func(ctx context.Context) error // nil once it serves
}

// run runs a program to its end as the user of servers.
func (h *host) run(ctx context.Context, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = h.dir
	guard(cmd, h.as, 0)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(said)))
	}
	return nil
}

// start starts a server and returns once it is ready. It ends with the host, and
// on Linux also when this process dies.
func (h *host) start(ctx context.Context, s server) error {
	log, err := os.Create(h.path("server.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	life, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(life, s.program, s.args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(s.stop) }
	cmd.WaitDelay = stopWithin
	cmd.Dir, cmd.Stdout, cmd.Stderr = h.dir, log, log
	guard(cmd, h.as, s.stop)

	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		// The kernel takes the end of the thread that started a process for the
		// end of us.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how a server ends that was asked to says nothing
		}
	}()
	if err := <-started; err != nil {
		end()
		return err
	}
	h.atEnd(func() {
		end()
		<-ended
		killGroup(cmd)
	})
	return s.await(ctx, ended, log.Name())
}

func (s *server) await(ctx context.Context, ended <-chan struct{}, log string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("not ready within %v", readyWithin))
	defer cancel()
	for {
		err := s.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			said, _ := os.ReadFile(log)
			return fmt.Errorf("%s ended at its start: %s", s.program, strings.TrimSpace(string(said)))
		case <-ctx.Done():
			return fmt.Errorf("%s: %w (%v)", s.program, context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// accepts returns a check that a server accepts connections.
func accepts(network, address string) func(context.Context) error {
	return func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return err
		}
		return c.Close()
	}
}

// freeAddress returns an address of loopback that nobody listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
