package diagnose

import (
	"fmt"
	"math"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

const (
	// An interval that begins at no gain says nothing if its high end is at least uncertainFrom times
	// its low end. Where the CPUs grow less than fourfold, the root of that growth is enough: √2
	// from one CPU to two, which is half the way to a speedup of 2.
	uncertainFrom = 2
	// certainRounds is the lowest number of rounds that a report proposes. Fewer than six rounds give
	// no interval of 95 %. That of 24 rounds is less than half as wide as that of six.
	certainRounds = 24
)

// untold says why finding nothing does not mean that there is nothing to fix, by the scaling of an
// observation with more CPUs, if that is known. It is empty if it does mean that.
func untold(o *evidence.Observation, s *Scaling) string {
	if len(o.Points) > 0 && !o.Largest().LookedInto() {
		return "it was not looked into: no instrument has seen any of it"
	}
	if s == nil || len(s.Points) < 2 {
		return ""
	}
	fewest, most := s.Points[0], s.Points[len(s.Points)-1]
	speedup := fmt.Sprintf("the speedup of %s over %d", humanize.Count(most.N, "CPUs"), fewest.N)
	rounds := min(len(most.Samples), len(fewest.Samples))
	if rounds < fitRounds {
		return fmt.Sprintf("with fewer than %d rounds it is not known how certain %s is: want --rounds %[1]d or more", fitRounds, speedup)
	}
	within := evidence.RatioWithin(most.Samples, fewest.Samples)
	if within.Low > 1 || within.High < within.Low*min(uncertainFrom, math.Sqrt(float64(most.N)/float64(fewest.N))) {
		return ""
	}
	return fmt.Sprintf("%s is uncertain: it is between %.2f and %.2f, by %s. A machine that does nothing else would tell, "+
		"or more rounds, such as --rounds %d", speedup, within.Low, within.High, humanize.Count(rounds, "rounds"), max(certainRounds, 4*rounds))
}
