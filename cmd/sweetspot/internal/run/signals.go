package run

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// A watch turns the signals sent to us into what they mean for a run:
//
//	INT, TERM   start nothing more; TERM to all jobs, KILL after the grace
//	again, QUIT KILL at once
//	HUP         start nothing more; the running jobs finish
//	TSTP        the jobs stop with us, and go on with us
//	PIPE        nothing: the write that caused it fails, and that stops the run
type watch struct {
	runner *runner
	stop   func(cause error) // by a signal

	signals chan os.Signal
	pipe    chan os.Signal
	term    chan struct{} // the grace begins, by another cause than a signal
	overdue chan struct{} // closed when all jobs should have been gone for a while
	heard   chan struct{} // sigMark was
	routine
}

// overdueAfter is how long after KILL a run waits for its jobs and for the
// reader of their output. What is left then does not end: a process stuck in
// the kernel, or a reader that does not read.
const overdueAfter = time.Second

// watchSignals starts a watch. HUP and INT that were ignored when we were started
// stay ignored: nohup(1) and shells in the background rely on it. Go does not tell of others.
func watchSignals(r *runner, stop func(error)) *watch {
	w := &watch{
		runner: r, stop: stop,
		signals: make(chan os.Signal, 4), pipe: make(chan os.Signal, 1),
		term: make(chan struct{}, 1), overdue: make(chan struct{}), heard: make(chan struct{}, 1),
	}
	for _, s := range append(suspendSignals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP) {
		if !signal.Ignored(s) {
			signal.Notify(w.signals, s)
		}
	}
	signal.Notify(w.pipe, syscall.SIGPIPE) // nobody reads it; that it is caught is enough
	w.begin(w.loop)
	return w
}

func (w *watch) loop() {
	var deadline, overdue <-chan time.Time
	var ending bool
	kill := func() {
		ending = true
		w.runner.procs.Signal(syscall.SIGKILL)
		if overdue == nil {
			overdue = time.After(overdueAfter)
		}
	}
	term := func() {
		if !ending {
			ending = true
			w.runner.procs.Signal(syscall.SIGTERM)
			deadline = time.After(w.runner.patrol.grace)
		}
	}
	for {
		select {
		case s := <-w.signals:
			if slices.Contains(suspendSignals, s) {
				w.runner.freeze(func() { suspend(w.runner.procs) })
				continue
			}
			if s == sigMark {
				select {
				case w.heard <- struct{}{}:
				default:
				}
				continue
			}
			n, _ := s.(syscall.Signal)
			w.stop(stopped{int(n)})
			switch {
			case s == syscall.SIGHUP:
			case s == syscall.SIGQUIT || ending:
				kill()
			default:
				term()
			}
		case <-w.term:
			term()
		case <-deadline:
			kill()
		case <-overdue:
			close(w.overdue)
		case <-w.quit:
			return
		}
	}
}

// ends reports whether write has ended, which it may not where nobody reads: it is waited for until the run is overdue.
func (w *watch) ends(write func()) bool {
	var r routine
	r.begin(write)
	return r.wait(w.overdue)
}

// end ends all jobs as a first TERM would. It does not wait.
func (w *watch) end() {
	select {
	case w.term <- struct{}{}:
	default:
	}
}

// catchUp returns when all signals that were sent before are heard. The ^C that ends
// us also ends who writes the list, and the end of the list may be seen first: what
// there was of it would pass for all of it.
//
// A signal to ourselves tells: pending signals arrive in the order of their numbers,
// and its is above all those that end a run. One that a thread has taken already, and is
// held up with until after close, kills us, as it would have without a watch.
func (w *watch) catchUp() {
	signal.Notify(w.signals, sigMark)
	if !mark() {
		return
	}
	select {
	case <-w.heard:
	case <-time.After(catchUpMost): // somebody blocks it
	}
}

// catchUpMost is long enough for a machine with much else to do.
const catchUpMost = 2 * time.Second

// close ends the watch and gives the signals back.
func (w *watch) close() {
	signal.Stop(w.signals)
	signal.Stop(w.pipe)
	w.finish(nil)
}
