package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A Kind is a way to hold up the opening of files.
type Kind string

const (
	Socket   Kind = "socket"
	Fanotify Kind = "fanotify"
)

// ErrNotPermitted says that this system, or the rights of this process, do not
// allow a scanner of the kind Fanotify.
var ErrNotPermitted = errors.New("scan: fanotify permission events are not permitted here")

// Config sets up a [Scanner]. Its zero value is a scanner of the kind Socket.
type Config struct {
	Kind  Kind     // Socket if empty
	Roots []string // Fanotify: directories below which files are scanned, and single files
	Args  []string // what this program is started anew with, so that it calls [Main]; may be none

	// Passes is how often each byte is hashed, 0 for 8: with SHA-256 in hardware
	// some 200 MB/s of one CPU, about what scanners reach.
	Passes int

	// Delay is what an answer takes besides CPU time, such as asking a server.
	Delay time.Duration

	// Timeout is when a file is allowed without an answer (Fanotify), or Open fails
	// (Socket); 0 for 10 s.
	Timeout time.Duration
}

// Report says what a scanner has done.
type Report struct {
	Files int64 // that were scanned
	Bytes int64
	Late  int64         // files that were allowed because of the timeout
	CPU   time.Duration // of the scanner process
}

// A Scanner is a running scanner process.
type Scanner struct {
	config Config
	cmd    *exec.Cmd
	stdin  io.Closer
	answer *bufio.Reader // lines of the process: first "ready", last its Report
	dir    string        // Socket: where the socket is
	cwd    string
	link   links

	closing sync.Once
	report  Report
	err     error
}

// order is what a scanner process has to do.
type order struct {
	Config
	Address string // of the socket
	Target  int    // the process whose opens are scanned
}

// role names, in the environment of a process, what it was started for.
const role = "SWEETSPOT_SCAN_ROLE"

// Start starts a scanner process, and returns when it is ready. It ends with
// [Scanner.Close], when the calling process ends, or when ctx is done. The error is
// ErrNotPermitted if there can be none of its kind here.
func Start(ctx context.Context, c Config) (*Scanner, error) {
	if c.Kind == "" {
		c.Kind = Socket
	}
	if c.Passes == 0 {
		c.Passes = 8
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	switch {
	case c.Kind != Socket && c.Kind != Fanotify:
		return nil, fmt.Errorf("scan: a scanner of the kind %q: want socket or fanotify", c.Kind)
	case c.Passes < 0 || c.Delay < 0 || c.Timeout < 0:
		return nil, fmt.Errorf("scan: %d passes, delay %v, timeout %v: want none of them negative", c.Passes, c.Delay, c.Timeout)
	case c.Kind == Fanotify && len(c.Roots) == 0:
		return nil, errors.New("scan: a scanner of the kind fanotify: want roots")
	case c.Kind == Fanotify && runtime.GOOS != "linux":
		return nil, fmt.Errorf("%w: it is there on Linux alone", ErrNotPermitted)
	}
	s := &Scanner{config: c}
	if err := s.start(ctx); err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	return s, nil
}

func (s *Scanner) start(ctx context.Context) (err error) {
	if s.cwd, err = os.Getwd(); err != nil {
		return err
	}
	o := order{Config: s.config, Target: os.Getpid()}
	as := roleFanotifyWatchdog
	if s.config.Kind == Socket {
		as = roleSocket
		if s.dir, err = os.MkdirTemp("", "scan"); err != nil {
			return err
		}
		o.Address = filepath.Join(s.dir, "s")
		s.link.address = o.Address
	}
	s.cmd, s.stdin, s.answer, err = spawn(ctx, as, o)
	if err != nil {
		return err
	}
	line, err := s.answer.ReadString('\n')
	if line == "ready\n" {
		return nil
	}
	s.stdin.Close()
	s.cmd.Wait()
	switch reason := strings.TrimSpace(line); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case strings.HasPrefix(reason, "not permitted"):
		return fmt.Errorf("%w%s", ErrNotPermitted, strings.TrimPrefix(reason, "not permitted"))
	case reason != "":
		return errors.New("scan: " + reason)
	}
	return fmt.Errorf("scan: the scanner process did not start (%v): does main call scan.Main first?", err)
}

// spawn starts this program again, in that role.
func spawn(ctx context.Context, as string, o order) (cmd *exec.Cmd, stdin io.Closer, answer *bufio.Reader, err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, nil, nil, err
	}
	cmd = exec.CommandContext(ctx, path, o.Args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, nil, err
	}
	in.Write(append(text, '\n')) // if it has ended already, its answer tells
	return cmd, in, bufio.NewReader(out), nil
}

// Open opens the file at path once the scanner allows it. It can be
// called from any number of goroutines. The error is that of opening, the cause
// of ctx, or says that the scanner is gone; with Fanotify, where the kernel waits,
// ctx is not looked at.
func (s *Scanner) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || s.config.Kind == Fanotify {
		return f, err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cwd, path)
	}
	if err := s.link.ask(ctx, path, s.config.Timeout); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close ends the scanner and returns what it has done. The error says if it ended
// before its time. Files that are being opened are allowed (Fanotify), or their Open
// fails (Socket). It may be called several times.
func (s *Scanner) Close() (Report, error) {
	s.closing.Do(func() {
		s.link.close()
		s.stdin.Close()
		line, readErr := s.answer.ReadString('\n')
		waitErr := s.cmd.Wait()
		os.RemoveAll(s.dir)
		if err := json.Unmarshal([]byte(line), &s.report); err != nil {
			s.err = fmt.Errorf("scan: the scanner process ended before its time: %s (%w)", strings.TrimSpace(line), errors.Join(readErr, waitErr))
		}
	})
	return s.report, s.err
}
