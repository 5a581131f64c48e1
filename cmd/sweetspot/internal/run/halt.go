package run

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
)

// haltFlag is the value of --halt: what ends the run before the end of the
// input. The zero value is never.
type haltFlag struct {
	text    string
	now     bool   // the running jobs are ended; otherwise they finish
	count   string // the jobs that count: one of those below, "" for never
	n       float64
	percent bool // n is of all jobs, or of those that have finished
}

const (
	haltFailed    = "fail"
	haltSucceeded = "success"
	haltDone      = "done"
)

// haltShort are GNU parallel's older spellings.
var haltShort = map[string]string{
	"0": "never", "1": "soon,fail=1", "2": "now,fail=1", "-1": "soon,success=1", "-2": "now,success=1",
}

// Set reads the forms of GNU parallel.
func (h *haltFlag) Set(s string) error {
	long := s
	if l, ok := haltShort[s]; ok {
		long = l
	} else if strings.HasSuffix(s, "%") && !strings.Contains(s, ",") {
		long = "soon,fail=" + s
	}
	v := haltFlag{text: s}
	if long == "never" {
		*h = v
		return nil
	}
	when, rest, _ := strings.Cut(long, ",")
	what, number, _ := strings.Cut(rest, "=")
	digits, percent := strings.CutSuffix(number, "%")
	v.now, v.percent, v.count = when == "now", percent, what
	if (when != "now" && when != "soon") || what != haltFailed && what != haltSucceeded && what != haltDone {
		return fmt.Errorf("%q is not a condition: want never, or now or soon, a comma, and fail=N, success=N or done=N, such as soon,fail=3 or now,fail=10%%", s)
	}
	var err error
	if percent {
		v.n, err = strconv.ParseFloat(digits, 64)
		if err != nil || !(v.n > 0 && v.n <= 100) {
			return fmt.Errorf("%q: %q is not a percentage: want more than 0%% and at most 100%%", s, number)
		}
	} else {
		var n uint64
		if n, err = strconv.ParseUint(digits, 10, 31); err != nil || n == 0 {
			return fmt.Errorf("%q: %q is not a number of jobs: want 1 or more", s, number)
		}
		v.n = float64(n)
	}
	*h = v
	return nil
}

// A halter counts the jobs that have finished and says when to halt.
type halter struct {
	flag haltFlag
	// total returns the number of jobs of the run, if it is known yet.
	total func() (int64, bool)
	// streamed reports whether it cannot be known before the list has ended.
	streamed func() bool

	mu                sync.Mutex
	failed, succeeded int64
	first             process.Ending // of the first job that failed
	halted            bool
}

// errHalted is the cause of a stop by --halt. The exit code is the halter's.
var errHalted = errors.New("halted")

// finished counts a job, and reports whether it is the one to halt at. It does
// so once.
func (h *halter) finished(e process.Ending) bool {
	if h.flag.count == "" {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Failed() {
		if h.failed++; h.failed == 1 {
			h.first = e
		}
	} else {
		h.succeeded++
	}
	if h.halted || !h.reached() {
		return false
	}
	h.halted = true
	return true
}

// reached is called with h.mu held.
func (h *halter) reached() bool {
	n := h.failed + h.succeeded
	switch h.flag.count {
	case haltFailed:
		n = h.failed
	case haltSucceeded:
		n = h.succeeded
	}
	if !h.flag.percent {
		return float64(n) >= h.flag.n
	}
	total, known := h.total()
	switch {
	case known:
		return n > 0 && percent(n, total) >= h.flag.n
	case h.flag.count == haltFailed && h.streamed():
		// A rate of failures has a meaning before the end; a share of successes does not.
		return n >= streamedFailures && percent(n, h.failed+h.succeeded) >= h.flag.n
	}
	return false
}

// percent returns how many percent of total n are. It is rounded once, as the percentage of the
// flag is, so the two are equal where they are the same decimal number.
func percent(n, total int64) float64 { return 100 * float64(n) / float64(max(total, 1)) }

// streamedFailures is how many jobs must have failed before a percentage of those that
// have finished means anything. GNU parallel once had the same rule.
const streamedFailures = 3

// code returns the exit code of a run that has been halted: that of GNU
// parallel, which is the job's own for fail=1, the percentage of failed jobs
// for fail=N%, and 0 once enough have succeeded.
func (h *halter) code() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.flag.count == haltSucceeded:
		return 0
	case h.flag.count == haltFailed && h.flag.percent:
		total, known := h.total()
		if !known {
			total = h.failed + h.succeeded
		}
		return int(min(100, math.Ceil(percent(h.failed, total))))
	case h.flag.count == haltFailed && h.flag.n == 1:
		return codeOf(h.first)
	}
	return int(min(h.failed, exitManyFailed))
}
