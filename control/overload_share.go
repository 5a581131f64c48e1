package control

import "math"

// A share is how many of the units that ended were refused, in a sample.
type share struct {
	ended, refused float64
	wasted         float64 // time in flight of those refused, s
}

const (
	// At first a service counts as if shareKnown units had ended without a refusal.
	// shareMemory is how many units the usual share remembers: 1 % is then known to
	// a seventh.
	shareKnown, shareMemory = 200, 5000
	// The law watches for a share that exceeds twice the usual one by shareTrickle.
	shareTrickle = 0.02
)

// between returns the sample between two readings. What is held by units that have not
// ended yet, or in excess by chance, within three standard deviations, is not wasted.
func between(from, to Reading) share {
	done, refused := float64(max(0, to.Completed-from.Completed)), float64(max(0, to.Overloads-from.Overloads))
	each := (to.Residence - from.Residence) / float64(max(1, to.Timed-from.Timed))
	wasted := to.Occupancy - from.Occupancy - each*(done+3*math.Sqrt(done+refused))
	return share{done + refused, refused, wasted * min(refused, 1)}
}

// add adds b, after keeping a part of what s was.
func (s *share) add(b share, keep float64) {
	s.ended, s.refused, s.wasted = keep*s.ended+b.ended, keep*s.refused+b.refused, keep*s.wasted+b.wasted
}

// of is the share, with half a unit more refused, so that it is never nothing.
func (s share) of() float64 { return (s.refused + 0.5) / (s.ended + 1) }

// lag is how long a unit is in flight until it is refused, as by a timeout, s.
func (s share) lag() float64 { return s.wasted / max(1, s.refused) }

// odds returns how much likelier the sample is if the share is p than if it is q, as a
// logarithm.
func (s share) odds(p, q float64) float64 {
	return s.refused*math.Log(p/q) + (s.ended-s.refused)*math.Log((1-p)/(1-q))
}

// worse returns the odds that more is refused than usual: twice as much, and a trickle.
// A sample begins anew when they fall below 0, so this is a cumulative sum (Page).
func (s share) worse(usual share) float64 {
	q := usual.of()
	return s.odds(min(2*q+shareTrickle, (1+q)/2), q)
}
