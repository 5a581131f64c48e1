package run

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
)

// A revisit is the law of a command that has run before: it tries the limit of then first,
// and leaves it at once where that does not hold what it promised. Then the law that it
// has goes on from there; so it does after revisitMost, in case there is more to gain.
type revisit struct {
	control.Controller
	lesson        *lesson
	started, over bool
}

const (
	// revisitMost is how long a limit is kept that does as well as before. Many lists are
	// over by then, and in longer ones a search costs little.
	revisitMost = 10 * time.Second
	// revisitLeast is the share of the throughput of then that is as good as all of it.
	revisitLeast = 0.8
)

// Next implements [control.Controller].
func (v *revisit) Next(r control.Reading) control.Decision {
	if !v.over {
		v.over = r.At > revisitMost || r.Overloads > 0 || r.Max > 0 && r.Max < v.lesson.Limit || v.disappoints(r)
	}
	if v.over {
		return v.Controller.Next(r)
	}
	d := control.Decision{Limit: v.lesson.Limit}
	if !v.started {
		v.started = true
		d.Reason = control.Reason{Kind: control.Start, From: r.Limit, To: d.Limit, Gain: math.NaN(), Note: "as learnt in an earlier run"}
	}
	return d
}

// disappoints reports whether fewer jobs have succeeded than at the throughput of then, beyond
// what may be in flight and two standard errors.
func (v *revisit) disappoints(r control.Reading) bool {
	want := revisitLeast * v.lesson.Rate * r.At.Seconds()
	return float64(r.Completed+int64(v.lesson.Limit)) < want-2*math.Sqrt(want)
}

// standing returns the limit that stands, not counting a trial that is under way.
func standing(limit int, decisions []sweetspot.Decision) int {
	if n := len(decisions); n > 0 && decisions[n-1].Reason.Kind == control.Probe {
		return decisions[n-1].From
	}
	return limit
}
