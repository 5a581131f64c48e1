package control

// Work is often done by others on the same machine: a scanner that each open waits for,
// a database, a broker. Their CPU time is not this work's own, and nobody says whose it
// is. But with each limit they do more or less of it, and where the machine is nearly
// busy its idle time tells how much there is to be had at all: with a tenth of it idle
// no limit gains more than a ninth.
//
// That matters where throughput cannot tell: where the work is patchy (see
// search_patches.go), windows of half a second still differ by a tenth, and what the
// machine is busy by a fiftieth. And it matters because such machines fill slowly. Of
// a search through files that another process scans first, with 2 CPUs:
//
//	files at a time   4     8     16    32    64    128
//	machine busy      0.85  0.91  0.92  0.95  0.97  1.00
//	files/s           15.6  19.3  19.2  19.8  20.4  21.0  thousand
//
// So what the machine is busy stands for the work done, and the search looks far (see
// search_far.go).
const (
	// servedIdle is the idle share of the machine up to which that counts.
	servedIdle = 0.5
	// servedOwn is the least CPU use of this work: where it has next to none, what others
	// do is theirs.
	servedOwn = 0.1
	// servedOthers is the least CPU use of others, in multiples of this work's own.
	servedOthers = 0.5
	// servedSame is the log ratio of this work's own CPU use up to which an alarm may be
	// due to what is in the units; in windows of half a second it varies by 5 %.
	servedSame = 0.25
	// servedGain is the log gain in what the machine is busy that a look must show. It
	// understates what is gained: threads that find more to do at a time sleep and
	// wake less often. Where it grew by 2.2 and 2.6 %, throughput did by 7 and 8 %.
	servedGain = 0.015
)

// attended reports whether others may do much of the work.
func (w window) attended() bool {
	return w.u > servedOwn && w.idle < servedIdle && !w.collecting() && 1-w.idle-w.u > servedOthers*w.u
}

// served reports whether what the machine is busy stands for the work done.
func (s *Search) served(w window) bool { return s.model.patchy() && w.attended() }

// seeMachine learns how much the machine's use varies from w to the window after it.
// Shorter windows vary by clock ticks.
func (k *model) seeMachine(w, next window) {
	if !w.attended() || !next.attended() || min(w.t, next.t) < patchWindow/2 {
		return
	}
	k.rows++
	k.vm += max(1/k.rows, 0.1) * (sq(machineRatio(w, next)) - k.vm)
}

// machineRatio returns the log ratio of what c keeps the machine busy over a.
func machineRatio(a, c window) float64 { return logRatio(1-c.idle, 1-a.idle) }
