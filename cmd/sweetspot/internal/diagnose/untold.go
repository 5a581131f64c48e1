package diagnose

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// untoldUpTo is the speedup up to which an interval must reach, from 1, to say nothing: between
// no gain and twice the throughput lies everything between work that more CPUs do not help
// and work that scales.
const untoldUpTo = 2

// untold says why an observation in which nothing was found does not show that there is nothing, by
// its scaling with more CPUs, if that is known. It is empty if it does.
func untold(o *evidence.Observation, s *Scaling) string {
	if len(o.Points) > 0 && !o.Largest().LookedInto() {
		return "it was not looked into: no instrument has seen any of it"
	}
	if s == nil || len(s.Points) < 2 {
		return ""
	}
	fewest, most := s.Points[0], s.Points[len(s.Points)-1]
	within := evidence.RatioWithin(most.Samples, fewest.Samples)
	if within.Low > 1 || within.High < min(untoldUpTo, float64(most.N)/float64(fewest.N)) {
		return ""
	}
	rounds := len(most.Samples)
	return fmt.Sprintf("whether %s do more than %d cannot be told: the speedup is between %.2f and %.2f, by %s. "+
		"A machine that does nothing else would tell, or more rounds: --rounds %d makes the interval about half as wide",
		humanize.Count(most.N, "CPUs"), fewest.N, within.Low, within.High, humanize.Count(rounds, "rounds"), 4*rounds)
}
