package run

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/statusline"
)

var (
	QuoteCommand     = quoteCommand
	Exit             = exit
	ErrPipe          = errPipe
	ErrListed        = errListed
	ErrHalted        = errHalted
	Graver           = graver
	HelpText         = help()
	Figure           = figure
	Seconds          = seconds
	JobEnviron       = jobEnviron
	Reserve          = reserve
	WithoutPasswords = withoutPasswords
)

const (
	MaxValue    = maxValue
	ChunkSize   = chunkSize
	TracePoints = tracePoints
	MostJobs    = mostJobs
	SmallOutput = smallOutput
)

// Patient returns a stream that waits where it would block.
func Patient(f *os.File) io.ReadWriter { return patient{f} }

func NewMost() control.Controller { return &most{} }

func Stopped(signal int) error { return stopped{signal} }

// LawOf returns the controller of a --law.
func LawOf(text string) (control.Controller, error) {
	var l lawFlag
	if text != "" {
		if err := l.Set(text); err != nil {
			return nil, err
		}
	}
	return l.controller(), nil
}

// JobsLimit reads a -j and returns the limit on a machine.
func JobsLimit(text string, cpus float64) (limit int, fixed bool, err error) {
	var j jobsFlag
	if err := j.Set(text); err != nil {
		return 0, false, err
	}
	n, fixed := j.limit(cpus)
	return n, fixed, nil
}

// Printer is a printer whose jobs have already run.
type Printer struct {
	p    *printer
	used sync.Map // of the spools
	err  error
}

func NewPrinter(stdout, stderr io.Writer, ordered bool) *Printer {
	p := &Printer{}
	p.p = newPrinter(&console{stdout: stdout, stderr: stderr}, &spool.Cache{}, ordered, func(err error) { p.err = err })
	return p
}

// Bound sets what may wait to be printed.
func (p *Printer) Bound(disk int64, files int, jobs int64) {
	p.p.bounds.disk, p.p.bounds.files, p.p.bounds.jobs = disk, files, jobs
}

// Says has messages go to w.
func (p *Printer) Says(w io.Writer) { p.p.console.stderr = w }

// Status returns what the status line says of jobs that are held back.
func (p *Printer) Status() string { return p.p.held() }

// Finish hands over the output of a job.
func (p *Printer) Finish(seq int64, stdout, stderr string) error {
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
	p.used.Store(s, true)
	p.p.finish(&job{seq: seq, spool: s})
	return nil
}

func (p *Printer) Admit(ctx context.Context, seq int64) error { return p.p.admit(ctx, seq) }
func (p *Printer) Err() error                                 { return p.err }

// Held returns what waits to be printed.
func (p *Printer) Held() (memory, disk int64, files int) {
	p.p.mu.Lock()
	defer p.p.mu.Unlock()
	return p.p.memory, p.p.disk, p.p.files
}

// Close closes the files kept for later jobs, and returns how many spools the jobs had.
func (p *Printer) Close() int {
	p.p.spools.Close()
	n := 0
	p.used.Range(func(any, any) bool { n++; return true })
	return n
}

// Trace is a trace of a run.
type Trace struct{ t *trace }

func NewTrace() Trace { return Trace{newTrace()} }

func (t Trace) End(at time.Duration, done int64, s sweetspot.Stats)    { t.t.end(at, done, s) }
func (t Trace) Sample(at time.Duration, done int64, s sweetspot.Stats) { t.t.sample(at, done, s) }
func (t Trace) Len() int                                               { return len(t.t.points) }
func (t Trace) Mean() float64                                          { return t.t.mean() }

// Rate returns the rate that the status line shows after some samples, before each of which so
// many jobs end in a time.
func Rate(samples int, apart time.Duration, jobs int64) float64 {
	m := &meter{runner: &runner{limiter: sweetspot.New(), console: &console{}}, began: time.Now(), trace: newTrace()}
	for range samples {
		time.Sleep(apart)
		m.runner.done.Add(jobs)
		m.sample()
	}
	return m.rate
}

// Summarize writes the summary of a run.
func Summarize(w io.Writer, jobs, failed int64, seconds float64, last int, t Trace, c []sweetspot.Decision) error {
	return summarize(jobs, failed, seconds, last, t.t, c).write(w)
}

// Account is what --explain tells.
type Account struct {
	Jobs, Failed int64
	Seconds      float64
	Fixed        string
	Limit, Max   int
	Mean         float64
	Most         int64
	CPUs         float64
	Share        string
	Met          int
	Decisions    []sweetspot.Decision
}

func (a Account) Tell(w io.Writer) error {
	b := account{
		summary: &summary{Jobs: a.Jobs, Failed: a.Failed, Limit: limitSummary{a.Limit, a.Mean, a.Max}}, seconds: a.Seconds,
		fixed: a.Fixed, most: a.Most, cpus: a.CPUs, share: a.Share, met: a.Met, decisions: a.Decisions,
	}
	return b.tell(w)
}

// Moment is what the status line tells.
type Moment struct {
	Done, Failed, Total int64
	Open                bool
	Elapsed             time.Duration
	Rate                float64
	Limit, InFlight     int
	Why                 string
	Fixed               bool
}

// StatusLine returns the line for a width; faint sets the reason apart.
func StatusLine(m Moment, width int, faint bool) string {
	return moment{
		done: m.Done, failed: m.Failed, total: m.Total, open: m.Open, elapsed: m.Elapsed, rate: m.Rate,
		stats: sweetspot.Stats{Limit: m.Limit, InFlight: m.InFlight}, why: m.Why, fixed: m.Fixed,
	}.line(width, faint)
}

// Console writes to a terminal with a status line.
type Console struct{ c *console }

func NewConsole(stdout, stderr io.Writer) Console {
	line := statusline.New(stderr, func() (int, error) { return 80, nil })
	return Console{&console{stdout: stdout, stderr: stderr, line: line}}
}
func (c Console) Status(line string) { c.c.status(line) }
func (c Console) Say(line string)    { c.c.say(line) }
func (c Console) Job(text string) error {
	return c.c.job(func(stdout, _ io.Writer) error { _, err := io.WriteString(stdout, text); return err })
}
