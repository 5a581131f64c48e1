package diagnose

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/vet"
)

// others are findings of sweetspot vet in lines that were seen at work, and have no
// measured cause. What they cost is not known, so only the surer ones are reported. A finding
// about a comment is left out, as a comment does no work.
func (x *examination) others() []Finding {
	if x.cpu() <= 0 {
		return nil
	}
	var all []Finding
	for _, s := range x.static {
		if s.Grade == vet.Hot.String() || s.Check == "ignore" {
			continue
		}
		for _, w := range x.p.Profile.Lines {
			fn := x.function(w.Place)
			if !s.covers(w.Place) || w.Through.Amount < hotLine*x.cpu() || x.settled(fn) ||
				slices.ContainsFunc(all, func(f Finding) bool { return len(f.Static) > 0 && f.Static[0].is(s) }) {
				continue
			}
			if s.Check == checkSpawn || s.Check == checkRecursion || s.Check == checkItem || s.Check == checkShared || len(s.Uses) > 0 {
				continue // the measurements have looked, and found it cheap
			}
			f := x.finding(s.Check, Unknown, w.Place)
			f.Static = []Static{s}
			f.Title = s.Message
			f.Evidence = []string{fmt.Sprintf("The line takes part in %s of the CPU time; no measurement shows how much of that is lost.", percent(w.Through.Amount/x.cpu()))}
			f.Remedy = "See the page of the check."
			all = append(all, f)
		}
	}
	return all
}
