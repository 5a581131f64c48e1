package diagnose

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// leaks reports goroutines that wait for something that no other goroutine can reach. They stay,
// with all that they hold, as long as the process does.
func (x *examination) leaks() []Finding {
	if x.p.Leaks == nil {
		return nil
	}
	var all []Finding
	for fn, group := range byFunction(x.p.Leaks.Lines, x.functionOf) {
		var leaked float64
		var places []dissect.Place
		for _, w := range group {
			if w.Own.Count > 0 { // not who called it
				leaked += w.Own.Count
				places = append(places, w.Place)
			}
		}
		if len(places) == 0 {
			continue
		}
		f := x.finding(checkLeak, Memory, places[0], places...)
		f.Title = fmt.Sprintf("%s leaks goroutines: %s of them", short(fn), humanize.Number(leaked))
		f.Evidence = []string{fmt.Sprintf("They wait here for a channel or a lock that no goroutine that can run refers to: a garbage collection found them. Their stacks alone are %s.", size(leaked*stackLeast))}
		f.Remedy = "Let the function that starts goroutines wait for their end: sweetspot.ForEach, Workers and Group return when the last has ended. By hand: a buffer for each result, or a select with the context's Done."
		all = append(all, f)
	}
	return all
}
