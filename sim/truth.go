package sim

// A truth is what a phase of a scenario can do: the long-run throughput with
// any fixed number of units in flight, without noise.
type truth struct {
	phase    Phase
	capacity float64   // without slowdown
	table    []float64 // throughput without slowdown for 1, 2, ... units in flight
	fix      correction
	best     float64 // throughput with nstar units in flight
	nstar    int     // the least number that gets 98 % of the maximum
}

// enough is the share of the maximum that defines the sweet spot: the least
// limit with at least this much throughput. A score can therefore be as high
// as 1/enough.
const enough = 0.98

// truths remembers the truth of every phase seen: it costs up to a second and
// the runs of a table share it.
var truths memo[truthKey, *truth]

// A truthKey is all that a truth depends on.
type truthKey struct {
	wait, service, cpu Dist
	servers            int
	cores, arrivals    float64
	slow               string
}

// truthOf returns the truth of a phase on a machine with that many CPUs.
func truthOf(p *Phase, cpus int) *truth {
	key := truthKey{p.Wait, p.Service, p.CPU, p.Servers, p.cores(cpus), p.Arrivals, p.Slow.String()}
	return truths.of(key, func() *truth { return newTruth(*p, cpus) })
}

func newTruth(p Phase, cpus int) *truth {
	cores := p.cores(cpus)
	t := &truth{
		phase:    p,
		capacity: capacityOf(p.Service.Mean(), p.Servers, p.CPU.Mean(), cores),
	}
	for size := 1 << 10; size <= tableSize; size *= 4 { // most are saturated early
		t.table = productForm(p.Wait.Mean(), p.Service.Mean(), p.Servers, p.CPU.Mean(), cores, size)
		if len(t.table) < size {
			break
		}
	}
	if needsCorrection(&p, cores) {
		t.fix = newCorrection(p, cpus, t.table, t.capacity)
	}
	last := MaxLimit
	if p.Slow.pieces == nil && len(t.table) < tableSize {
		last = len(t.table) + 1 // flat after that
	}
	most := 0.0
	for n := 1; n <= last; n++ {
		most = max(most, t.throughput(n))
	}
	for t.nstar = 1; t.throughput(t.nstar) < enough*most; {
		t.nstar++
	}
	t.best = t.throughput(t.nstar)
	return t
}

// throughput returns units per second with n in flight. In an open system that
// is at most what arrives: a limit that can carry more lets it all through.
func (t *truth) throughput(n int) float64 {
	n = max(n, 1)
	x := t.capacity
	if n <= len(t.table) {
		x = t.table[n-1]
	} else if last := len(t.table); last == tableSize {
		x = min(x, t.table[last-1]*float64(n)/float64(last))
	}
	x = min(x*t.fix.of(n), t.capacity) / t.phase.Slow.At(n)
	if t.phase.Arrivals > 0 {
		x = min(x, t.phase.Arrivals)
	}
	return x
}

// Throughput returns the truth that scores are measured against: the long-run
// throughput of s, in units per second and without noise, with n units in
// flight under the parameters in force at time at (in seconds). In an
// open system it is at most the rate of arrivals. n below 1 counts as 1.
func Throughput(s Scenario, at float64, n int) float64 {
	return truthOf(&s.Phases[s.phaseAt(at)], s.P).throughput(n)
}

// SweetSpot returns the least number of units in flight that gets at least
// 98 % of the highest throughput, under the parameters in force at time at.
func SweetSpot(s Scenario, at float64) int {
	return truthOf(&s.Phases[s.phaseAt(at)], s.P).nstar
}
