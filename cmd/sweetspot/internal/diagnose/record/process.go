package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

type process struct {
	wall    time.Duration
	cpu     time.Duration // user and system, with its children
	stdout  []byte
	stopped bool // it was interrupted after the longest time
}

type job struct {
	name  string
	args  []string
	shown string // in errors; "" is name and args
	dir   string
	env   []string // beside that of this process
	most  time.Duration
	in    *input    // nil is empty
	out   io.Writer // nil keeps what it prints, unless it is mute
	mute  bool      // what it prints goes nowhere, and not through this process, if out is nil
}

const (
	// grace is how long a process has to end that was interrupted.
	grace = 5 * time.Second
	// keptErrors is how much of what a process says in the end goes into an error.
	keptErrors = 2 << 10
)

var errLongest = errors.New("the longest time is over")

// run runs a process to its end, and no longer than ctx.
func (j job) run(ctx context.Context) (process, error) {
	var p process
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := exec.CommandContext(within, j.name, j.args...)
	c.Dir = j.dir
	c.Env = append(os.Environ(), j.env...)
	c.Cancel = func() error {
		if err := c.Process.Signal(os.Interrupt); err == nil || errors.Is(err, os.ErrProcessDone) {
			return err
		}
		return c.Process.Kill() // Windows cannot interrupt
	}
	c.WaitDelay = grace
	dissect.EndWithParent(c)
	var stdout bytes.Buffer
	var stderr tail
	c.Stdout, c.Stderr = &stdout, &stderr
	if j.mute {
		c.Stdout = nil
	}
	if j.out != nil {
		c.Stdout, c.Stderr = j.out, io.MultiWriter(j.out, &stderr)
	}
	if j.in != nil {
		file, err := j.in.rewind()
		if err != nil {
			return p, err
		}
		c.Stdin = file
	}
	began := time.Now()
	err := c.Start()
	if err == nil {
		if j.most > 0 { // from now on: to start a process may take long
			defer time.AfterFunc(j.most, func() { stop(errLongest) }).Stop()
		}
		err = c.Wait()
	}
	p.wall = time.Since(began)
	p.stdout = stdout.Bytes()
	if s := c.ProcessState; s != nil {
		p.cpu = s.UserTime() + s.SystemTime()
	}
	if cause := context.Cause(ctx); cause != nil {
		return p, cause
	}
	if err != nil && context.Cause(within) == errLongest && c.ProcessState != nil {
		p.stopped = true
		return p, nil
	}
	if err != nil {
		if said := p.complaint(stderr.String()); said != "" {
			return p, fmt.Errorf("%s: %w:\n%s", j.title(), err, said)
		}
		return p, fmt.Errorf("%s: %w", j.title(), err)
	}
	return p, nil
}

// complaint returns what a process that failed said of it. The testing package says on
// standard output which benchmark failed, and why.
func (p process) complaint(stderr string) string {
	if at := bytes.Index(p.stdout, []byte("--- FAIL: ")); at >= 0 {
		return strings.TrimSpace(string(p.stdout[at:min(len(p.stdout), at+keptErrors)]))
	}
	if said := strings.TrimSpace(stderr); said != "" {
		return said
	}
	return strings.TrimSpace(string(p.stdout[max(0, len(p.stdout)-keptErrors):]))
}

func (j job) title() string {
	if j.shown != "" {
		return j.shown
	}
	return strings.Join(append([]string{j.name}, j.args...), " ")
}

// A tail keeps the end of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - keptErrors; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.kept) }
