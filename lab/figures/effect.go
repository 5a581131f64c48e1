package figures

import "cmp"

// An Effect says what the figures say of an article's claim.
type Effect string

const (
	Shows    Effect = "shows"    // the effect shows here
	Absent   Effect = "absent"   // it does not show here
	Untold   Effect = "untold"   // the intervals are too wide to tell
	Baseline Effect = "baseline" // there is no effect to miss
)

var badges = map[Effect]string{Shows: "shows here", Absent: "does not show here", Baseline: "a baseline"}

// Words are those of a badge.
func (e Effect) Words() string { return cmp.Or(badges[e], "cannot be told at this size") }

// known fills in the effect of a file that was written before there was one. What it
// did not hold was either absent or could not be told.
func (e *Experiment) known() {
	switch {
	case e.Effect != "" || e.Error != "":
	case e.Holds:
		e.Effect = Shows
	default:
		e.Effect = Untold
	}
}
