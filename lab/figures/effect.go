package figures

import (
	"cmp"
)

// An Effect says what the figures say of an article's claim.
type Effect string

const (
	Shows    Effect = "shows"    // the effect shows here
	Absent   Effect = "absent"   // it does not show here
	Untold   Effect = "untold"   // the intervals are too wide to decide
	Baseline Effect = "baseline" // there is no effect to miss
)

var badges = map[Effect]string{Shows: "shows here", Absent: "does not show here", Baseline: "a baseline"}

// Words are those of a badge.
func (e Effect) Words() string { return cmp.Or(badges[e], "undecided at this size") }

// known fills in the effect of a file that was written before there was one. What it
// did not hold was either absent or undecided.
func (e *Experiment) known() {
	switch {
	case e.Effect != "" || e.Error != "":
	case e.Holds:
		e.Effect = Shows
	default:
		e.Effect = Untold
	}
}

// A Count says how the experiments of a file ended.
type Count struct {
	Shown, Absent, Untold, Baselines int // by effect
	Ahead, Level, Behind, Other      int // by how ours stands
	Failed                           []string
}

// Count counts the experiments.
func (f *File) Count() Count {
	var c Count
	effects := map[Effect]*int{Shows: &c.Shown, Absent: &c.Absent, Untold: &c.Untold, Baseline: &c.Baselines}
	standings := map[Standing]*int{Ahead: &c.Ahead, Level: &c.Level, Behind: &c.Behind, Other: &c.Other}
	for _, e := range f.Experiments {
		if e.Error != "" {
			c.Failed = append(c.Failed, e.ID)
			continue
		}
		*cmp.Or(effects[e.Effect], &c.Untold)++
		if e.Ours != nil {
			*standings[e.Ours.Standing()]++
		}
	}
	return c
}

// A Standing is how ours compares with the best variant of an article.
type Standing string

const (
	Ahead  Standing = "better"
	Level  Standing = "no difference beyond the noise"
	Behind Standing = "worse"
	Other  Standing = "not the same work"
)

// Enough is the part of the best variant that ours should reach.
const Enough = 0.97

// Short reports whether ours falls short of that.
func (o *Ours) Short() bool { return o.Avoids == "" && o.Ratio < Enough }

// Standing says what the interval of the ratio says, and not the ratio alone.
func (o *Ours) Standing() Standing {
	switch {
	case o.Avoids != "":
		return Other
	case o.Low > 1:
		return Ahead
	case o.High < 1:
		return Behind
	}
	return Level
}
