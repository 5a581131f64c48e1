package run

import (
	"os"
	"os/signal"
	"time"
)

// A hand changes the number of jobs while they run, for those who want to have
// it in theirs: USR1 and USR2 raise and lower it by one, as those of xargs do,
// and the file of -j is read again, as GNU parallel does.
type hand struct {
	runner *runner
	flags  *limitOptions

	last    jobsFlag // what the file said last
	trouble string   // why it could not be read, once that has been said

	signals chan os.Signal
	routine
}

// fileEvery is how often the file is read: soon enough for somebody who waits
// for the effect, and nothing beside the jobs.
const fileEvery = 500 * time.Millisecond

// takeHand lets users change the number of jobs.
func (r *runner) takeHand(flags *limitOptions) {
	h := &hand{runner: r, flags: flags, last: flags.jobs, signals: make(chan os.Signal, 16)}
	r.hand = h
	for _, s := range []os.Signal{sigMore, sigFewer} {
		if s != nil && !signal.Ignored(s) {
			signal.Notify(h.signals, s)
		}
	}
	h.begin(h.loop)
}

func (h *hand) loop() {
	var look <-chan time.Time
	if h.flags.jobs.file != "" {
		t := time.NewTicker(fileEvery)
		defer t.Stop()
		look = t.C
	}
	for {
		select {
		case s := <-h.signals:
			if s == sigMore {
				h.set(h.runner.limiter.Limit() + 1)
			} else {
				h.set(h.runner.limiter.Limit() - 1)
			}
		case <-look:
			h.look()
		case <-h.quit:
			return
		}
	}
}

// set sets the number, as far as the flags allow.
func (h *hand) set(n int) {
	h.runner.limiter.SetLimit(h.flags.within(n))
	h.runner.grow()
}

// look reads the file, and follows it if it has changed. As long as it cannot be
// read, the number stays.
func (h *hand) look() {
	v, err := readJobs(h.flags.jobs.file)
	switch {
	case err != nil:
		if err.Error() != h.trouble {
			h.trouble = err.Error()
			h.runner.console.tell("-j: " + h.trouble + "; the number of jobs stays")
		}
		return
	case v.kind == h.last.kind && v.n == h.last.n:
		return
	}
	h.last, h.trouble = v, ""
	if n, fixed := v.limit(h.runner.cpus); fixed {
		h.set(n)
	} else {
		h.runner.limiter.Auto()
	}
}

func (h *hand) close(overdue <-chan struct{}) {
	signal.Stop(h.signals)
	h.finish(overdue)
}
