package control

import "math"

// A share is how many of the units that ended were refused, as far as a sample tells.
type share struct {
	ended, refused float64
	square         float64 // sum of the squares of what was refused in one burst
	seconds        float64 // length
	held, served   float64 // integral of the units in flight, and the part of what succeeded, s
}

const (
	// shareKnown units without a refusal are what is believed of a service at first. 8 of
	// the first 100 refused, or 4 of 20, raise a question.
	shareKnown = 200
	// shareTrickle over what is usual is not worth a question.
	shareTrickle = 1.0 / 200
	// shareAlarm raises a question and shareSure answers it: log likelihood ratios of 4
	// and 3.5 standard deviations. Samples are judged at each reading, a hundred times a
	// second, so chance raises a question now and then. It costs some 0.1 s of throughput.
	shareAlarm, shareSure = 8, 6
	// shareMost units without an alarm are usual, though they may be a little worse.
	shareMost = 1000
	// shareFollows is the memory of what is usual, s, or shareMemory units if that is longer:
	// changes are followed in seconds, and 1 % is known to a fifth.
	shareFollows, shareMemory = 8, 2000
)

// between returns the sample between two readings.
func between(from, to Reading) share {
	s := share{
		refused: float64(to.Overloads - from.Overloads),
		seconds: (to.At - from.At).Seconds(),
		held:    to.Occupancy - from.Occupancy,
	}
	done := float64(to.Completed - from.Completed)
	s.ended, s.square = s.refused+done, s.refused
	if timed := float64(to.Timed - from.Timed); timed > 0 {
		s.served = (to.Residence - from.Residence) * done / timed
	}
	return s
}

// add adds b, after keeping a part of what s was.
func (s *share) add(b share, keep float64) {
	s.ended, s.refused, s.square = keep*s.ended+b.ended, keep*s.refused+b.refused, keep*s.square+b.square
	s.seconds, s.held, s.served = keep*s.seconds+b.seconds, keep*s.held+b.held, keep*s.served+b.served
}

// follow adds b and forgets as much as b is long.
func (s *share) follow(b share) {
	s.add(b, math.Exp(-max(0, min(b.seconds/shareFollows, b.ended/shareMemory))))
}

func (s share) of() float64 { return s.refused / max(s.ended, 1) }

// bursts is the index of dispersion: how many times more refusals vary than chance
// has it, because they come in bursts.
func (s share) bursts() float64 { return max(1, s.square/max(1, s.refused)) }

// above returns how sure it is that the share s is larger than low: the log likelihood
// ratio of two shares against one. x of it are √2x standard deviations.
func (s share) above(low share) float64 {
	p := (s.refused + low.refused) / (s.ended + low.ended)
	if !(s.of() > p) {
		return 0
	}
	return s.gain(p) + low.gain(p)
}

// gain is the log likelihood of the sample with its own share, less that with p.
func (s share) gain(p float64) float64 {
	term := func(n, expected float64) float64 {
		if n <= 0 {
			return 0
		}
		return n * math.Log(n/expected)
	}
	return term(s.refused, s.ended*p) + term(s.ended-s.refused, s.ended*(1-p))
}

// more reports whether more than a trickle over usual is refused.
func (s share) more(usual share) bool { return s.refused > (usual.of()+shareTrickle)*s.ended }

// worse is more, for sure.
func (s share) worse(usual share) bool { return s.more(usual) && s.above(usual) >= shareSure }

// vain reports whether the limit n, with the share s, is refused more than half of what
// it adds to a lower limit.
func (s share) vain(n int, low share, lower int) bool {
	return 2*float64(n)*(1-s.of()) < float64(n+lower)*(1-low.of())
}

// full returns sample as it would be at another limit if that one serves no more units
// than those of s were at theirs.
func (s share) full(limit int, sample share, other int) share {
	sample.refused = sample.ended * max(0, 1-(1-s.of())*float64(limit)/float64(other))
	return sample
}

// lag is how long units are in flight, s: those that succeed, or those that are refused,
// as by a timeout. What began before the sample is allowed for.
func (s share) lag() float64 {
	lag := s.served / max(1, s.ended-s.refused)
	if s.refused > 0 {
		lag = max(lag, (s.held-s.served-lag*s.held/s.seconds)/s.refused)
	}
	return lag
}
