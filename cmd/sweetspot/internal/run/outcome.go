package run

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// outcomeOptions say what becomes of a job's output and of a job that fails.
type outcomeOptions struct {
	tag          bool
	lineBuffer   bool
	results      string
	joblog       string
	resume       bool
	resumeFailed bool
	retries      optional[int] // how many times a job is tried in all, as with GNU parallel; 0 for any number
	retryOOM     bool
	timeout      timeoutFlag
	halt         haltFlag
	overload     statusesFlag
	maxOutput    Size
	quiet        bool
}

// check says what does not go together.
func (o *outcomeOptions) check() error {
	switch {
	case o.joblog == "" && o.resume:
		return errors.New("--resume needs the log of the run to resume: --joblog FILE")
	case o.joblog == "" && o.resumeFailed:
		return errors.New("--resume-failed needs the log of the run to resume: --joblog FILE")
	case template.HasPlaceholder(o.results):
		return fmt.Errorf("--results %s: placeholders are not replaced here: give a directory, in which each job has 1/VALUE", o.results)
	case strings.HasSuffix(o.results, ".csv"), strings.HasSuffix(o.results, ".tsv"), strings.HasSuffix(o.results, ".json"):
		return fmt.Errorf("--results %s: tables are not written: give a directory, in which each job has 1/VALUE/stdout", o.results)
	case o.results != "" && runtime.GOOS == "windows":
		return errors.New("--results needs a system where a file that is in use can be renamed, which Windows is not")
	}
	return nil
}

// equip gives the runner what the options ask for.
func (o *outcomeOptions) equip(r *runner) (err error) {
	r.tagged, r.tries, r.overload, r.quiet = o.tag, o.tries(), o.overload, o.quiet
	r.halter = &halter{flag: o.halt, total: r.total, streamed: r.streamed}
	if o.results != "" {
		if r.results, err = newResults(o.results); err != nil {
			return err
		}
		r.held = append(r.held, r.results.lock)
	}
	if o.joblog != "" {
		log, past, err := openJoblog(o.joblog, o.resume || o.resumeFailed)
		if err != nil {
			return err
		}
		r.held = append(r.held, log.file)
		log.failed = r.abort
		r.printer.log, r.past, r.failedAgain = log, past, o.resumeFailed
	}
	if o.lineBuffer {
		r.printer.followLines()
	}
	if o.halt.percent {
		r.countAhead()
	}
	return nil
}

// tries returns the number of tries, 0 if it has no end.
func (o *outcomeOptions) tries() int {
	if !o.retries.given {
		return 1
	}
	return o.retries.value
}
