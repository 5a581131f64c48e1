package scan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Config sets up a [Scanner].
type Config struct {
	Args []string // what this program is started anew with, so that it calls [Main]; may be none
	// Delay is what an answer takes besides CPU time, such as asking a server.
	Delay time.Duration
	// Timeout is how long Open waits for an answer before it fails; 0 for 10 s.
	Timeout time.Duration
}

// Report says what a scanner has done.
type Report struct {
	Files int64 // that were scanned
	Bytes int64
}

// A Scanner is a running scanner process.
type Scanner struct {
	timeout time.Duration
	cmd     *exec.Cmd
	process *rpc.Client

	closing sync.Once
	report  Report
	err     error
}

// Start starts a scanner process, and returns when it is ready. It ends with
// [Scanner.Close], when the calling process ends, or when ctx is done.
func Start(ctx context.Context, c Config) (*Scanner, error) {
	if c.Delay < 0 || c.Timeout < 0 {
		return nil, fmt.Errorf("scan: delay %v, timeout %v: want none of them negative", c.Delay, c.Timeout)
	}
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, c.Args...)
	cmd.Env = append(os.Environ(), configVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	var p pipes
	if p.WriteCloser, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.Reader, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Scanner{timeout: c.Timeout, cmd: cmd, process: rpc.NewClient(p)}
	if err := s.ask(ctx, "Total", false, new(Report)); err != nil {
		s.process.Close()
		_ = s.cmd.Wait() // what failed is known
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%w: does main call scan.Main first?", err)
	}
	return s, nil
}

// pipes are the standard input and output of the process, from outside.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// ask calls a method of the engine and waits for its answer, up to the timeout.
func (s *Scanner) ask(ctx context.Context, method string, arg, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("scan: no answer within %v", s.timeout))
	defer cancel()
	call := s.process.Go(service+"."+method, arg, answer, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		if call.Error != nil {
			return fmt.Errorf("scan: the scanner process is gone: %w", call.Error)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Open opens the file at path once the scanner allows it. It can be called from any
// number of goroutines. The error is that of opening, the cause of ctx, or says that
// there was no answer or that the scanner is gone.
func (s *Scanner) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(path)
	if err == nil {
		err = s.ask(ctx, "Scan", absolute, new(bool))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close ends the scanner and returns what it has done. The error says if it ended
// before its time. An Open that waits fails. It may be called several times.
func (s *Scanner) Close() (Report, error) {
	s.closing.Do(func() {
		err := s.ask(context.Background(), "Total", false, &s.report)
		s.process.Close()
		waitErr := s.cmd.Wait()
		if err != nil {
			s.err = fmt.Errorf("scan: the scanner process ended before its time: %w", errors.Join(err, waitErr))
		}
	})
	return s.report, s.err
}
