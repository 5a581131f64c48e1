package run

import (
	fifo "container/list"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// timeoutFlag is the value of --timeout: a length of time, or a percentage of
// the median run time of the jobs that succeeded. The zero value is none.
type timeoutFlag struct {
	text    string
	fixed   time.Duration
	percent float64
}

// Set reads TIME.
func (t *timeoutFlag) Set(s string) error {
	v := timeoutFlag{text: s}
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			return fmt.Errorf("%q is not a percentage of the median run time: want more than 0%%, such as 300%%", s)
		}
		v.percent = n
		*t = v
		return nil
	}
	d, err := humanize.ParseTime(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a length of time: want 10, 0.5s, 2m, 1h30m, 1d, or a percentage of the median run time such as 300%%", s)
	}
	v.fixed = d
	*t = v
	return nil
}

func (t *timeoutFlag) given() bool { return t.text != "" }

// shortestPercent is the least that a percentage comes to: on a busy machine a
// job of some milliseconds that waits for a CPU takes many times its median.
const shortestPercent = time.Second

// A timekeeper ends jobs that run for longer than the timeout: TERM to all their
// processes and, after the grace, KILL.
type timekeeper struct {
	flag  timeoutFlag
	grace time.Duration
	// signal sends to every process of a job.
	signal func(process, syscall.Signal)

	mu      sync.Mutex
	running fifo.List // of *timed, in the order of their start, which is that of their ends
	ended   fifo.List // of *timed that got TERM, in the order of their KILL
	past    runtimes
	alarm   *time.Timer // nil until it is needed
	stopped bool
	closed  bool
}

// A timed job is one that a timekeeper looks after.
type timed struct {
	proc  process
	began time.Time
	at    *fifo.Element // in running or ended; nil once it got KILL
	out   bool          // it ran out of time
	kill  time.Time     // when it gets KILL or got it, if it ran out of time
}

// begin looks after a job from its start.
func (k *timekeeper) begin(p process, began time.Time) *timed {
	if !k.flag.given() {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t := &timed{proc: p, began: began}
	t.at = k.running.PushBack(t)
	if k.running.Front() == t.at {
		k.arm()
	}
	return t
}

// reaped is told that the first process of a job has ended, and reports whether
// the job ran out of time. One that did is looked after until forget, since
// processes may be left that want the KILL.
func (k *timekeeper) reaped(t *timed) bool {
	if t == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !t.out {
		k.running.Remove(t.at)
		k.arm()
	}
	return t.out
}

// suspend calls f, which returns when the jobs, stopped by it, go on. That time does
// not count.
func (k *timekeeper) suspend(f func()) {
	k.mu.Lock()
	k.stopped = true // until the times are set right
	k.mu.Unlock()
	began := time.Now()
	f()
	away := time.Since(began)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stopped = false
	for e := k.running.Front(); e != nil; e = e.Next() {
		t := e.Value.(*timed)
		t.began = t.began.Add(away)
	}
	for e := k.ended.Front(); e != nil; e = e.Next() {
		t := e.Value.(*timed)
		t.kill = t.kill.Add(away)
	}
	k.arm()
}

// overdue reports whether a job that ran out of time got KILL so long ago that what is
// left of it does not end.
func (k *timekeeper) overdue(t *timed) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return t.at == nil && time.Since(t.kill) > overdueAfter
}

// forget ends what reaped left.
func (k *timekeeper) forget(t *timed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if t.at != nil {
		k.ended.Remove(t.at)
		t.at = nil
		k.arm()
	}
}

// succeeded takes in the run time of a job that succeeded.
func (k *timekeeper) succeeded(took time.Duration) {
	if k.flag.percent == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.past.add(took)
	k.arm()
}

func (k *timekeeper) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	if k.alarm != nil {
		k.alarm.Stop()
	}
}

// limit returns the timeout in force, if there is one yet.
func (k *timekeeper) limit() (time.Duration, bool) {
	if k.flag.percent == 0 {
		return k.flag.fixed, true
	}
	median, ok := k.past.median()
	return max(shortestPercent, time.Duration(min(k.flag.percent/100*float64(median), math.MaxInt64/2))), ok
}

// arm sets the alarm for the next job to end. It is called with k.mu held.
func (k *timekeeper) arm() {
	var next time.Time
	if limit, ok := k.limit(); ok && k.running.Len() > 0 {
		next = k.running.Front().Value.(*timed).began.Add(limit)
	}
	if k.ended.Len() > 0 {
		if kill := k.ended.Front().Value.(*timed).kill; next.IsZero() || kill.Before(next) {
			next = kill
		}
	}
	switch {
	case k.closed, k.stopped:
	case next.IsZero():
		if k.alarm != nil {
			k.alarm.Stop()
		}
	case k.alarm == nil:
		k.alarm = time.AfterFunc(time.Until(next), k.ring)
	default:
		k.alarm.Reset(time.Until(next))
	}
}

// ring ends the jobs whose time has come.
func (k *timekeeper) ring() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed || k.stopped {
		return
	}
	now := time.Now()
	if limit, ok := k.limit(); ok {
		for e := k.running.Front(); e != nil; e = k.running.Front() {
			t := e.Value.(*timed)
			if now.Sub(t.began) < limit {
				break
			}
			k.running.Remove(e)
			t.out, t.kill = true, now.Add(k.grace)
			t.at = k.ended.PushBack(t)
			k.signal(t.proc, syscall.SIGTERM)
		}
	}
	for e := k.ended.Front(); e != nil; e = k.ended.Front() {
		t := e.Value.(*timed)
		if now.Before(t.kill) {
			break
		}
		k.ended.Remove(e)
		t.at, t.kill = nil, now
		k.signal(t.proc, syscall.SIGKILL)
	}
	k.arm()
}
