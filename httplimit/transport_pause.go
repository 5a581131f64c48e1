package httplimit

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// defaultMaxPause is longer than services ask for that are overloaded, and
	// shorter than what one that is down for maintenance may ask for.
	defaultMaxPause = 30 * time.Second
	// firstPause is short against most requests over a network, and long against
	// the quickest refusals, which come in a fraction of a millisecond.
	firstPause = 5 * time.Millisecond
	// longestPause bounds the pauses that nobody asked for: after that, the host
	// is tried again.
	longestPause = time.Second
)

// A pause keeps requests from being sent to a host for a while.
type pause struct {
	until  atomic.Int64 // its end, since the host's epoch; 0: none
	count  atomic.Int64 // refusals
	streak atomic.Int64 // refusals in a row; see refused
	mu     sync.Mutex
}

// on reports whether the host pauses.
func (p *pause) on(now func() time.Duration) bool {
	until := p.until.Load()
	if until == 0 {
		return false
	}
	if time.Duration(until) > now() {
		return true
	}
	p.until.CompareAndSwap(until, 0)
	return false
}

// wait returns when the host does not pause any more, or with the cause of ctx.
func (p *pause) wait(ctx context.Context, now func() time.Duration) error {
	for p.on(now) {
		if err := sleep(ctx, time.Duration(p.until.Load())-now()); err != nil {
			return err
		}
	}
	return nil
}

// sleep waits for d, or returns the cause of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refusals returns the number of refusals so far, for refused.
func (p *pause) refusals() int64 { return p.count.Load() }

// succeeded ends a row of refusals.
func (p *pause) succeeded() {
	if p.streak.Load() != 0 { // the line is shared, so it is not written in vain
		p.streak.Store(0)
	}
}

// refused takes note of a refusal of a request that was sent when there had been
// seen of them. The host pauses for after, if it said so. Otherwise it pauses by
// the refusals in a row of which each was sent when the one before was known:
// those that were under way together say no more than one of them.
func (p *pause) refused(seen int64, now, after time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh := p.count.Load() == seen
	p.count.Add(1)
	if fresh {
		n := p.streak.Add(1)
		if n > 1 {
			after = max(after, min(firstPause<<min(n-2, 10), longestPause))
		}
	}
	if after > 0 {
		p.until.Store(max(p.until.Load(), int64(now+after)))
	}
}

// retryAfter returns the time that the header Retry-After names, 0 if there is
// none that makes sense. See RFC 9110, section 10.2.3: seconds, or a date.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if v == "" {
		return 0
	}
	const most = 1 << 30 // s; far beyond any bound, and no overflow
	if s, err := strconv.ParseUint(v, 10, 64); err == nil || s > most {
		return time.Duration(min(s, most)) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	// The date is by the clock of the server. Its Date header, where there is
	// one, says what that showed.
	from := time.Now()
	if d, err := http.ParseTime(h.Get("Date")); err == nil {
		from = d
	}
	return max(0, at.Sub(from))
}
