package recording

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// Live is a program that runs, and serves the handlers of net/http/pprof.
type Live struct {
	URL     string // of /debug/pprof, or of the server alone
	Seconds int    // under the CPU profile; 0 is 10
	// Notice is called before the recording begins, with what it costs; Step, with what is
	// recorded.
	Notice, Step func(string)

	answer time.Duration // how long an answer may take, beyond the seconds asked for; 0 is answerIn
}

const (
	defaultSeconds = 10
	// tracedPart is which part of the time a trace is recorded, after the profiles: it
	// costs more, and tells as much in a tenth of the time.
	tracedPart = 5
	answerIn   = 15 * time.Second
	// tracedMost is how many bytes a trace may have: half a million events tell medians.
	tracedMost = 8 << 20
	// tracedFirst is how many seconds are traced to see how many bytes that takes.
	tracedFirst = 0.1
	// answerMost is the number of bytes at which an answer is none.
	answerMost = 256 << 20
)

// Record has the program record itself, leaves the files in dir, and returns them.
// The notes say what it cannot record. Afterwards the program is as before.
func (l Live) Record(ctx context.Context, dir string) (s Saved, notes []string, err error) {
	base, err := l.Base()
	if err != nil {
		return s, nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	c := &pprofClient{base: base, dir: dir, client: &http.Client{Transport: transport}, answer: cmp.Or(l.answer, answerIn)}
	if s.Name, err = c.name(ctx); err != nil {
		return s, nil, err
	}
	seconds := cmp.Or(l.Seconds, defaultSeconds)
	traced := max(seconds/tracedPart, 1)
	if l.Notice != nil {
		l.Notice(fmt.Sprintf("%s runs under a CPU profile for %d s, and then under an execution trace for %d s; each slows it down meanwhile, the trace by a tenth and more if it switches goroutines all the time. A list of its goroutines stops it for a moment. Nothing stays switched on.", s.Name, seconds, traced))
	}
	step := func(format string, args ...any) {
		if l.Step != nil {
			l.Step(fmt.Sprintf(format, args...))
		}
	}
	step("profiles of %s, %d s", s.Name, seconds)
	var wg sync.WaitGroup
	for _, p := range []struct {
		at string
		by dissect.Instrument
	}{{"profile", dissect.CPU}, {"allocs", dissect.Allocs}, {"mutex", dissect.Mutex}, {"block", dissect.Block}} {
		wg.Go(func() { c.get(ctx, p.at, p.by, float64(seconds)) })
	}
	wg.Wait()
	step("trace of %s, %d s", s.Name, traced)
	c.trace(ctx, float64(traced))
	step("goroutines of %s", s.Name)
	c.get(ctx, "goroutine", dissect.Goroutines, 0)
	c.get(ctx, "goroutineleak", dissect.Leaks, 0)
	if cause := context.Cause(ctx); cause != nil {
		return s, nil, cause
	}
	if len(c.files) == 0 {
		return s, nil, fmt.Errorf("nothing could be recorded: %w", errors.Join(c.failed...))
	}
	for _, err := range c.failed {
		notes = append(notes, fmt.Sprintf("%v", err))
	}
	s.Files = slices.Sorted(slices.Values(c.files))
	return s, notes, nil
}

// Base returns the URL of the index of profiles. That of a single profile, as go tool
// pprof takes it, is cut.
func (l Live) Base() (*url.URL, error) {
	u, err := url.Parse(l.URL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is not a URL of HTTP: want one as http://localhost:6060/debug/pprof", l.URL)
	}
	u.RawQuery, u.Fragment = "", ""
	if p := strings.TrimSuffix(u.Path, "/"); p == "" {
		u.Path = "/debug/pprof/"
	} else {
		switch path.Base(p) {
		case "profile", "trace", "heap", "allocs", "mutex", "block", "goroutine", "goroutineleak", "cmdline":
			p = path.Dir(p)
		}
		u.Path = p + "/"
	}
	return u, nil
}

// A pprofClient asks a program for its profiles.
type pprofClient struct {
	base   *url.URL
	dir    string
	client *http.Client
	answer time.Duration

	mu     sync.Mutex
	files  []string
	failed []error
}

// name returns the name of the program, which shows that it is there.
func (c *pprofClient) name(ctx context.Context) (string, error) {
	var text strings.Builder
	if _, err := c.fetch(ctx, "cmdline", 0, &text, 64<<10); err != nil {
		return "", fmt.Errorf("%w: want the address at which a program serves net/http/pprof, as http://localhost:6060/debug/pprof", err)
	}
	program, _, _ := strings.Cut(text.String(), "\x00")
	if strings.HasPrefix(strings.TrimSpace(program), "<") || program == "" {
		return "", fmt.Errorf("%s answers with something else than the words of a command: want the address at which a program serves net/http/pprof", c.base.JoinPath("cmdline").Redacted())
	}
	return fmt.Sprintf("%s at %s", filepath.Base(program), c.base.Host), nil
}

// fetch asks for a profile, and writes at most so many bytes of the answer to w. It takes
// no longer than the seconds and what an answer may take.
func (c *pprofClient) fetch(ctx context.Context, name string, seconds float64, w io.Writer, most int64) (size int64, err error) {
	u := *c.base.JoinPath(name)
	if seconds > 0 {
		u.RawQuery = "seconds=" + strconv.FormatFloat(seconds, 'f', -1, 64)
	}
	limit := time.Duration(seconds*float64(time.Second)) + c.answer
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, err
	}
	answer, err := c.client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%s: %w", u.Redacted(), cause)
		}
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // more of it is not needed
		return 0, &refusal{u.Redacted(), answer.StatusCode, answer.Status, strings.TrimSpace(string(said))}
	}
	size, err = io.Copy(w, io.LimitReader(answer.Body, most))
	if err != nil {
		err = cmp.Or(context.Cause(ctx), err)
	}
	return size, err
}

// A refusal is an answer that is none.
type refusal struct {
	url    string
	code   int
	status string
	said   string
}

func (r *refusal) Error() string {
	if r.said == "" || strings.HasPrefix(r.said, "<") {
		return fmt.Sprintf("%s answers %s", r.url, r.status)
	}
	return fmt.Sprintf("%s answers %s (%s)", r.url, r.status, r.said)
}

// get writes one of them to a file.
func (c *pprofClient) get(ctx context.Context, name string, by dissect.Instrument, seconds float64) {
	path := filepath.Join(c.dir, string(by)+".pprof")
	_, err := c.save(ctx, name, path, seconds)
	if r, ok := errors.AsType[*refusal](err); ok && by == dissect.Leaks && r.code == http.StatusNotFound {
		return // few programs have it
	}
	c.keep(name, path, err)
}

// trace records one that is not longer than tracedMost: it cannot be cut, because it is
// read a second at a time.
func (c *pprofClient) trace(ctx context.Context, seconds float64) {
	path := filepath.Join(c.dir, "trace.out")
	size, err := c.save(ctx, "trace", path, tracedFirst)
	if fits := tracedFirst * tracedMost / float64(max(size, 1)); err == nil && fits > 2*tracedFirst {
		_, err = c.save(ctx, "trace", path, math.Round(100*min(seconds, fits))/100)
	}
	c.keep("trace", path, err)
}

func (c *pprofClient) keep(name, path string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed = append(c.failed, fmt.Errorf("no %s was recorded: %w", name, err))
		return
	}
	c.files = append(c.files, path)
}

func (c *pprofClient) save(ctx context.Context, name, path string, seconds float64) (size int64, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	size, err = c.fetch(ctx, name, seconds, file, answerMost)
	if err := errors.Join(err, file.Close()); err != nil {
		if size == 0 {
			os.Remove(path) // nothing is in it
		}
		return size, err
	}
	if size == answerMost {
		return size, fmt.Errorf("it is longer than %d MB", answerMost>>20)
	}
	_, err = dissect.Identify(path)
	return size, err
}
