package sense

import (
	"bytes"
	"time"
)

// A pressureGauge reads the kernel's account of time lost to a lack of memory (PSI): the
// "full" line of memory.pressure counts the time in which every task that had
// something to do waited for reclaim, refaults or swap at once.
//
// Our cgroup's file counts where there is one. The machine's file mixes in
// neighbours that thrash inside limits of their own, so it only counts while
// the machine itself is short of memory.
//
// Source: Weiner et al., "PSI - Pressure Stall Information", kernel
// documentation, accounting/psi.
type pressureGauge struct {
	host *host

	at    time.Duration
	total uint64 // µs
	begun bool
	moves int     // of host, when the last reading was
	share float64 // of the time lost between the last two readings; 0 if unknown
}

const (
	// holdStall: a tenth of the time is more than the reclaim of cold pages
	// costs, which is well below 1 %; more units would only lose more.
	holdStall = 0.10
	// freeStall ends it: the work is back to normal.
	freeStall = 0.05
	// cutStall: nearly half is thrashing. (systemd-oomd kills at 60 %.)
	cutStall = 0.40
	// shortPart of all memory available is little enough for pressure to be
	// the machine's own.
	shortPart = 0.20
)

// read takes the pressure of the innermost cgroup that reports it or, failing that,
// of the machine.
func (g *pressureGauge) read(now time.Duration) bool {
	from, group := g.host.memoryPSI, false
	if g.host.groupPSI.ok() {
		from, group = g.host.groupPSI, true
	}
	total, ok := stalled(g.host.read(from))
	if !ok {
		g.share = 0
		return true
	}
	// After a move the total is another group's: the difference would mean nothing.
	span, grown, begun := now-g.at, float64(int64(total-g.total))/1e6, g.begun && g.moves == g.host.moves
	g.at, g.total, g.begun, g.moves = now, total, true, g.host.moves
	if !begun || span <= 0 {
		return false
	}
	g.share = grown / span.Seconds()
	if !group && g.share >= freeStall {
		if r := g.host.machineRoom(); !r.ok || r.available() > shortPart*r.total {
			g.share = 0
		}
	}
	return true
}

func (*pressureGauge) why() string { return "memory pressure: all work waits for memory at times" }

func (g *pressureGauge) look(b *bound, _ time.Duration, peak, inFlight int) {
	switch {
	case g.share >= cutStall:
		b.cut(peak, inFlight)
	case g.share >= holdStall:
		b.hold(peak)
	case g.share < freeStall:
		b.free()
	}
}

// stalled returns the microseconds of the "full" line of a pressure file.
func stalled(b []byte) (uint64, bool) {
	line, ok := after(b, "full ")
	if !ok {
		return 0, false
	}
	_, total, ok := bytes.Cut(line, []byte("total="))
	v, _, isNumber := number(total)
	return v, ok && isNumber
}
