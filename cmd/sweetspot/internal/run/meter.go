package run

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A meter samples a run for those who want to see it: the status line, the
// summary and the account.
type meter struct {
	runner  *runner
	fixed   bool
	began   time.Time
	trace   *trace
	faint   bool          // the status line may set the reason apart by colour
	routine               // not begun if nobody wants to see
	took    time.Duration // the whole run, once it is over
	end     sweetspot.Stats
	rate    float64 // jobs per second, of late
	seen    [rateOver + 1]seen
	ticks   int
}

// seen is how many jobs were done at a time since the start.
type seen struct {
	at   time.Duration
	done int64
}

// rateOver is over how many samples the status line takes the rate: some two
// seconds, long enough to stand still and short enough to follow.
const rateOver = 20

// start begins to sample. For the status line, a list in a regular file is
// counted ahead; the length of one from a pipe is known at its end only.
func (m *meter) start() {
	if m.runner.console.line != nil {
		m.runner.countAhead()
	}
	m.repeat(sampleEvery, func() time.Duration {
		m.sample()
		return sampleEvery
	})
}

func (m *meter) sample() {
	at, done, s := time.Since(m.began), m.runner.done.Load(), m.runner.limiter.Stats()
	m.trace.sample(at, done, s)
	m.ticks++
	since := m.seen[max(m.ticks-rateOver, 0)%len(m.seen)]
	m.rate = float64(done-since.done) / (at - since.at).Seconds()
	m.seen[m.ticks%len(m.seen)] = seen{at, done}
	if m.runner.console.line != nil && m.ticks%2 == 0 {
		m.draw(s)
	}
}

func (m *meter) draw(s sweetspot.Stats) {
	total, known := m.runner.total()
	if !known {
		total = m.runner.in.seen.Load() - m.runner.skipped.Load()
	}
	why := m.runner.printer.held()
	if decisions := m.runner.limiter.Decisions(); why == "" && len(decisions) > 0 {
		why = decisions[len(decisions)-1].Reason.String()
	}
	now := moment{
		done: m.runner.done.Load(), failed: m.runner.failed.Load(), total: total, open: !known,
		elapsed: time.Since(m.began), rate: m.rate, stats: s, why: why, fixed: m.fixed,
	}
	m.runner.console.status(now.line(m.runner.console.line.Width(), m.faint))
}

// close takes the last sample, ends the sampling and takes the status line away.
func (m *meter) close() {
	m.took = time.Since(m.began)
	if m.quit != nil {
		m.finish(nil)
	}
	m.end = m.runner.limiter.Stats()
	m.trace.end(m.took, m.runner.done.Load(), m.end)
	if m.runner.console.line != nil {
		m.runner.console.status("")
	}
}

// summary returns what --json writes.
func (m *meter) summary() *summary {
	r := m.runner
	s := summarize(r.done.Load(), r.failed.Load(), m.took.Seconds(), m.end.Limit, m.trace, r.limiter.Decisions())
	s.Suspensions = r.brake.count()
	return s
}

// account returns what --explain prints; jobs is the text of -j, share that of --share, met is
// how many other processes had that name, and most how many jobs ran at a time.
func (m *meter) account(jobs, share string, met int, most int64) *account {
	a := &account{
		summary: m.summary(), seconds: m.took.Seconds(), most: most, cpus: m.runner.cpus,
		share: share, met: met, decisions: m.runner.limiter.Decisions(),
	}
	if m.fixed && len(a.decisions) == 0 {
		a.fixed = jobs
	}
	return a
}
