package sense

import "time"

// pressure is the kernel's account of time lost to a lack of memory (PSI): the
// "full" line of memory.pressure counts the time in which every task that had
// something to do waited for reclaim, refaults or swap at once.
//
// Our cgroup's file counts where there is one. The machine's file mixes in
// neighbours that thrash inside limits of their own, so it only counts while
// the machine itself is short of memory.
//
// Source: Weiner et al., "PSI - Pressure Stall Information", kernel
// documentation, accounting/psi.
type pressure struct {
	file  file
	group bool
	meter memoryMeter
	bound bound

	at    time.Duration
	total uint64 // µs
	begun bool
}

const (
	// holdStall: a tenth of the time lost is no longer the reclaim of cold
	// pages, which costs well below 1 %; more units would only lose more.
	holdStall = 0.10
	// freeStall ends it: the work is back to normal.
	freeStall = 0.05
	// cutStall: nearly half is thrashing. (systemd-oomd kills at 60 %.)
	cutStall = 0.40
	// shortPart of all memory available is little enough for pressure to be
	// the machine's own.
	shortPart = 0.20
)

// newPressure returns the pressure of the innermost cgroup that reports it or,
// failing that, of the machine.
func newPressure(h *host, buf []byte) pressure {
	p := pressure{file: h.memoryPSI, meter: newMemoryMeter(h, buf)}
	if h.groupPSI.ok() {
		p.file, p.group = h.groupPSI, true
	}
	return p
}

func (*pressure) why() string { return "memory pressure: all work waits for memory at times" }

func (p *pressure) look(now time.Duration, peak, inFlight int) int {
	total, ok := stalled(p.file.read(p.meter.buf))
	if !ok {
		p.bound.free()
		return 0
	}
	span := now - p.at
	grown := float64(int64(total-p.total)) / 1e6
	begun := p.begun
	p.at, p.total, p.begun = now, total, true
	if !begun || span <= 0 {
		return p.bound.units
	}
	share := grown / span.Seconds()
	if !p.group && share >= freeStall {
		if r := p.meter.machine(); !r.ok || r.free+r.margin > shortPart*r.total {
			share = 0
		}
	}
	switch {
	case share >= cutStall:
		p.bound.cut(peak, inFlight)
	case share >= holdStall:
		p.bound.hold(peak)
	case share < freeStall:
		p.bound.free()
	}
	return p.bound.units
}

// stalled returns the microseconds of the "full" line of a pressure file.
func stalled(b []byte) (uint64, bool) {
	line, ok := after(b, "full ")
	if !ok {
		return 0, false
	}
	for len(line) > 0 {
		if len(line) > 6 && string(line[:6]) == "total=" {
			v, _, ok := number(line[6:])
			return v, ok
		}
		line = line[1:]
	}
	return 0, false
}
