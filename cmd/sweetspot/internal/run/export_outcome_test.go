package run

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

var FileName = fileName

const (
	JoblogHeader = joblogHeader
	MedianOf     = medianOf
)

// Ending is how a job ended.
type Ending struct{ Status, Signal int }

func (e Ending) in() process.Ending { return process.Ending{Status: e.Status, Signal: e.Signal} }

// Halter counts jobs for a --halt.
type Halter struct{ h *halter }

// NewHalter reads a --halt. total returns the number of jobs, if it is known; streamed
// says that it cannot be before the end of the list.
func NewHalter(text string, total func() (int64, bool), streamed bool) (Halter, error) {
	h := &halter{total: total, streamed: func() bool { return streamed }}
	err := h.flag.Set(text)
	return Halter{h}, err
}

func (h Halter) Now() bool              { return h.h.flag.now }
func (h Halter) Finished(e Ending) bool { return h.h.finished(e.in()) }
func (h Halter) Code() int              { return h.h.code() }

// OutcomeOf returns what a job that has ended says to the law under --overload-status.
func OutcomeOf(list string, e Ending, cut bool) (sweetspot.Outcome, error) {
	r := &runner{}
	err := r.overload.Set(list)
	return r.outcome(&job{end: e.in(), cut: cut}), err
}

// Timeout reads a --timeout.
func Timeout(text string) (fixed time.Duration, percent float64, err error) {
	var t timeoutFlag
	err = t.Set(text)
	return t.fixed, t.percent, err
}

// Tries reads a --retries.
func Tries(text string) (int, error) {
	n, err := orNone("tries", "as many as it takes")(text)
	return (&outcomeOptions{retries: n}).tries(), err
}

// Timeouts is a patrol with a timeout, whose jobs are numbers. It notes the signals.
type Timeouts struct {
	p    *patrol
	jobs map[int]*job

	mu      sync.Mutex
	signals map[int][]int
}

// Signals returns the signals that a job got.
func (o *Timeouts) Signals(job int) []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.signals[job])
}

// NewTimeouts returns a patrol that has begun.
func NewTimeouts(timeout string, grace time.Duration) (*Timeouts, error) {
	o := &Timeouts{jobs: make(map[int]*job), signals: make(map[int][]int)}
	o.p = &patrol{grace: grace, shelf: &shelf{}, signal: func(p process.Process, s syscall.Signal) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.signals[p.PID] = append(o.signals[p.PID], int(s))
	}}
	if err := o.p.timeout.Set(timeout); err != nil {
		return nil, err
	}
	o.p.start()
	return o, nil
}

// Begin says that a job, without output, has begun.
func (o *Timeouts) Begin(n int) {
	o.jobs[n] = &job{proc: process.Process{PID: n}, spool: &spool.Spool{}}
	o.p.join(o.jobs[n])
}

// Leave says that the first process of a job has ended, and reports whether it timed out.
func (o *Timeouts) Leave(job int) bool {
	_, why := o.p.leave(o.jobs[job])
	return why == timedOut
}

// Ran says that a job has ended, and returns for how long it ran.
func (o *Timeouts) Ran(job int) time.Duration {
	ran, _ := o.p.leave(o.jobs[job])
	return ran
}

func (o *Timeouts) Overdue(job int) bool      { return o.p.overdue(o.jobs[job]) }
func (o *Timeouts) Forget(job int)            { o.p.forget(o.jobs[job]) }
func (o *Timeouts) Succeeded(d time.Duration) { o.p.succeeded(d) }
func (o *Timeouts) Suspend(f func())          { o.p.suspend(f) }
func (o *Timeouts) Close()                    { o.p.close(nil) }

// Medians returns the median after each of some run times, 0 for none.
func Medians(times []time.Duration) []time.Duration {
	var r runtimes
	var medians []time.Duration
	for _, d := range times {
		r.add(d)
		m, _ := r.median()
		medians = append(medians, m)
	}
	return medians
}

// Slots numbers jobs.
type Slots struct{ s slots }

func (s *Slots) Take() int     { return s.s.take() }
func (s *Slots) Give(slot int) { s.s.give(slot) }

// Record is a line of a joblog.
type Record struct {
	Seq           int64
	Began         time.Time
	Took          time.Duration
	Send, Receive int64
	Ending
	Argv []string
}

func (r Record) in() *job {
	return &job{seq: r.Seq, began: r.Began, took: r.Took, sent: r.Send, end: r.Ending.in(), argv: r.Argv}
}

func (r Record) Line() string { return string((&joblog{}).record(r.in(), r.Receive)) }

// Joblog is the file of --joblog.
type Joblog struct {
	l *joblog
	h *history
}

func OpenJoblog(name string, resume bool) (Joblog, error) {
	l, h, err := openJoblog(name, resume)
	return Joblog{l, h}, err
}

func (l Joblog) Add(r Record) { l.l.add(l.l.record(r.in(), r.Receive)) }
func (l Joblog) Close() error { return l.l.close() }

// Fail has a write that fails be told to f.
func (l Joblog) Fail(f func(error)) { l.l.failed = f }

// Past returns the numbers of the jobs in the log whose command is as f says,
// and of these the ones that failed.
func (l Joblog) Past(command func(seq int64) string) (all, failed []int64) {
	for _, p := range l.h.jobs {
		if p.command != l.h.hash(command(p.seq)) {
			continue
		}
		all = append(all, p.seq)
		if p.failed {
			failed = append(failed, p.seq)
		}
	}
	return all, failed
}

// Command returns the command in a line of the log.
func (l Joblog) Command(line int64) string { return l.h.command(line) }

// Log has the printer record jobs.
func (p *Printer) Log(l Joblog) { p.p.log = l.l }

// FinishRecord hands over the output of a job, with its record.
func (p *Printer) FinishRecord(r Record, tag, stdout, stderr string) error {
	s, err := p.p.spools.Get()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(s.Out, stdout); err != nil {
		return err
	}
	if _, err := io.WriteString(s.Err, stderr); err != nil {
		return err
	}
	j := r.in()
	j.spool, j.tag = s, tag
	p.p.finish(j)
	return nil
}

// Follow has the printer print lines as they come.
func (p *Printer) Follow() { p.p.followLines() }

// EndFollow ends that.
func (p *Printer) EndFollow() { p.p.follow.finish(nil) }

// A Running is a job that runs, whose output is followed.
type Running struct {
	p *Printer
	j *job
}

func (p *Printer) Start(seq int64, tag string) (*Running, error) {
	s, err := p.p.spools.Get()
	if err != nil {
		return nil, err
	}
	j := &job{seq: seq, spool: s, tag: tag}
	p.p.follow.join(j)
	return &Running{p, j}, nil
}

func (r *Running) Stdout() *os.File { return r.j.spool.Out }
func (r *Running) Stderr() *os.File { return r.j.spool.Err }
func (r *Running) Finish()          { r.p.p.finish(r.j) }

// Tagged returns text that comes in pieces, in lines behind a tag.
func Tagged(tag string, pieces []string) string {
	l := liner{tag: tag}
	var b []byte
	for _, p := range pieces {
		b = l.append(b, []byte(p))
	}
	return string(l.end(b))
}

// Results are those of a run.
type Results struct{ r *results }

func NewResults(dir string) Results { return Results{&results{dir: dir}} }

// Keep makes the results of a job. It returns the names in its directory while
// it runs and afterwards.
func (r Results) Keep(seq int64, values []string, stdout, stderr string) (before, after []string, at string, err error) {
	s, k, err := r.r.open(seq, values)
	if err != nil {
		return nil, nil, "", err
	}
	defer s.Close()
	_, err = io.WriteString(s.Out, stdout)
	if _, e := io.WriteString(s.Err, stderr); err != nil || e != nil {
		return nil, nil, "", errors.Join(err, e)
	}
	before = names(k.dir)
	err = k.end(false)
	return before, names(k.dir), k.dir, err
}

func names(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// UsesSlot reports whether a command depends on the slot of its job.
func UsesSlot(words ...string) (bool, error) {
	t, err := template.New(words, "{}", template.Shape{Most: 1})
	if err != nil {
		return false, err
	}
	return t.Uses(template.Slot), nil
}

// Failures returns what is said of so many jobs that failed.
func Failures(jobs int64) (lines []string) {
	var f failures
	for seq := range jobs {
		f.add(&job{seq: seq + 1, argv: []string{"false"}, end: process.Ending{Status: 1}}, quoteCommand)
	}
	say := func(line string) { lines = append(lines, line) }
	f.tell(say, say)
	return lines
}
