package sweetspot

import (
	"math"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A veto tells once when a ceiling of the sensor holds the limit back, not at
// each tick at which it does.
type veto struct {
	held  int           // the limit last told, 0 while there is no veto
	until time.Duration // it stands until this, unless it is felt again
}

const (
	// vetoLinger is how long a veto must not be felt before it counts as
	// lifted. What is left of memory or files is never quite still, and a law
	// that stands just below the ceiling meets it now and again.
	vetoLinger = time.Second
	// vetoStep is the share that the ceiling must fall by to be told again.
	vetoStep = 0.1
)

// watch takes note of the limit wanted and of what the bounds made of it, n.
func (v *veto) watch(g *governor, wanted, n int) {
	r := &g.r
	if g.env.Ceiling < 1 || r.Max >= g.l.max || wanted < r.Max {
		if r.At >= v.until {
			v.held = 0
		}
		return
	}
	v.until = r.At + vetoLinger
	if v.held > 0 && float64(n) > (1-vetoStep)*float64(v.held) {
		return
	}
	v.held = n
	c := Change{At: r.At, From: r.Limit, To: n, Reason: control.Reason{
		Kind: control.Vetoed, From: r.Limit, To: n, Gain: math.NaN(), Note: g.env.Why,
	}}
	if g.l.observe {
		c.To = r.Limit
	}
	g.keep(c)
}
