package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A todo is a job that waits for a permit.
type todo struct {
	seq  int64
	vals []string
}

// resume reads the values of the jobs that the log holds and compares their
// commands, before anything is started: so a list or a command that has been
// changed does no harm. What is not to be left out waits in r.todo.
func (r *runner) resume() error {
	h := r.past
	r.past = nil
	var argv []string
	places := 1
	if r.commandLine.Uses(template.Slot) { // the job may have run at any of them
		places = mostJobs
	}
	for _, p := range h.jobs {
		for r.seq < p.seq {
			vals, err := r.in.next(r.starting)
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("--resume: line %d of %s is of job %d, and the input ends after %d: give the same input as then, or another --joblog", p.line, h.name, p.seq, r.seq)
			}
			if err != nil {
				return err
			}
			r.seq++
			if r.seq < p.seq {
				r.todo = append(r.todo, todo{r.seq, vals})
				continue
			}
			command := func(at int) string {
				argv = r.commandLine.Expand(argv[:0], vals, r.in.place(p.seq, at))
				return quoteCommand(argv)
			}
			at := 1
			for at <= places && p.command != h.hash(command(at)) {
				at++
			}
			switch {
			case at > places:
				return fmt.Errorf("--resume: job %d is now %s, and was %s in line %d of %s: give the same command and input as then, or another --joblog",
					p.seq, humanize.Clip(command(1), 200), humanize.Clip(h.command(p.line), 200), p.line, h.name)
			case p.failed && r.failedAgain:
				r.todo = append(r.todo, todo{p.seq, vals})
			default:
				r.skipped.Add(1)
				r.printer.finish(&job{seq: p.seq, cut: true})
			}
		}
	}
	return nil
}

// next returns the next job's number and value.
func (r *runner) next() (seq int64, vals []string, err error) {
	if r.past != nil {
		if err := r.resume(); err != nil {
			return 0, nil, err
		}
	}
	if len(r.todo) > 0 {
		t := r.todo[0]
		r.todo[0] = todo{}
		r.todo = r.todo[1:]
		return t.seq, t.vals, nil
	}
	vals, err = r.in.next(r.starting)
	if err == nil {
		r.seq++
	}
	return r.seq, vals, err
}
