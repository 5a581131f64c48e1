package jobserver

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// turns are the units of the Limiter: one for each token that is out, and one for the job that
// needs none.
type turns struct {
	limiter *sweetspot.Limiter
	open    []sweetspot.Unit // the oldest first
	work    float64          // CPU seconds of all, at the newest look
	rate    float64          // CPUs in use then
	looked  time.Time        // when that was
	counted float64          // CPU seconds that turns have been weighed with
	busy    time.Time        // when more than one job ran last
	ended   time.Time        // when one ended last, or the first began
	asked   time.Time        // when the demand was last reported
	done    int64            // that ended by a token that came back
	most    int              // jobs at a time
	top     int              // that are enough, 0: unknown
	rests   bool             // the law does
}

const (
	// grain is what a returned token weighs beside its CPU time, ms: the steps of the clocks of processes.
	grain = 10
	// lull is for how long one job must run alone, with tokens left, until the law rests.
	lull = time.Second
	// slice is when a turn ends without a token that came back, because cargo keeps tokens for long and a
	// limit of 1 has none: after so long, and as much CPU time.
	slice = 100 * time.Millisecond
	// askEvery is how often the Limiter hears that there is demand. It remembers that for
	// half a second.
	askEvery = 250 * time.Millisecond
)

// look takes note of the CPU time of all processes.
func (t *turns) look(now time.Time, cpu float64) {
	if dt := now.Sub(t.looked).Seconds(); dt > 0 && cpu > t.work { // a process that ends during a look is missing for once
		t.rate, t.work, t.looked = (cpu-t.work)/dt, cpu, now
	}
}

// judge returns how many jobs are enough, 0 where that is not known, and lets the law rest where it can do no
// good. More jobs do not help before anything is measured, nor while all CPUs are busy, since work is CPU time.
func (t *turns) judge(full bool) int {
	st := t.limiter.Stats()
	t.rests = st.Manual || full && t.settled(st.Limit)
	switch {
	case st.Completed > 0 && !full:
		t.top = 0
	case t.top == 0 || st.Limit < t.top:
		t.top = st.Limit
	}
	return t.top
}

// settled reports whether the law stands at a limit, and does not just try it.
func (t *turns) settled(limit int) bool {
	d := t.limiter.Decisions()
	if len(d) == 0 {
		return true
	}
	last := d[len(d)-1]
	return last.To == limit && last.Reason.Kind != control.Probe
}

// worked returns the CPU time of all processes, as it is if all is as between the last looks: turns end
// between looks, and a window of the law may be short.
func (t *turns) worked(now time.Time) float64 {
	return t.work + t.rate*min(now.Sub(t.looked), lookMost).Seconds()
}

// move follows the tokens: so many came back since the last call, some are out, and none is left in
// the pipe or some are.
func (t *turns) move(now time.Time, returned, held int, empty bool) {
	t.done += int64(returned)
	for range min(returned, len(t.open)) {
		t.end(now, grain)
	}
	limit := t.limiter.Limit()
	if held > 0 || limit == 1 {
		t.busy = now
	}
	want := held + 1
	if now.Sub(t.busy) >= lull || t.rests {
		want = 0
	}
	t.most = max(t.most, held+1)
	if len(t.open) == 0 {
		t.counted, t.ended = t.worked(now), now // what one job alone has worked says nothing
	} else if now.Sub(t.ended) >= slice && t.worked(now)-t.counted >= slice.Seconds() && len(t.open) <= limit {
		t.end(now, 0)
	}
	for len(t.open) > want {
		last := len(t.open) - 1
		t.open[last].End(sweetspot.Ignored, 1)
		t.open = t.open[:last]
	}
	for len(t.open) < want {
		u, ok := t.limiter.TryBegin()
		if !ok {
			return // the limit has fallen meanwhile; that is demand, too
		}
		t.open = append(t.open, u)
	}
	if empty && len(t.open) >= limit && now.Sub(t.asked) >= askEvery {
		t.asked = now
		if u, ok := t.limiter.TryBegin(); ok { // it has just been raised
			u.End(sweetspot.Ignored, 1)
		}
	}
}

// end ends the oldest turn. It weighs what was worked since the last one, in ms, and more.
func (t *turns) end(now time.Time, more int) {
	ms := int(1000 * max(t.worked(now)-t.counted, 0))
	t.counted += float64(ms) / 1000
	t.open[0].End(sweetspot.Done, ms+more)
	t.open = append(t.open[:0], t.open[1:]...)
	t.ended = now
}

func (t *turns) close() {
	for _, u := range t.open {
		u.End(sweetspot.Ignored, 1)
	}
	t.open = nil
}
