package sim

import (
	"math/rand/v2"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/company"
)

// A companyLoop is one Limiter: its work, its sensors, and its governor.
type companyLoop struct {
	*CompanyLimiter
	kind      string
	index     int32
	process   *companyProcess
	lane      *lane
	server    *server
	wait, cpu sampler
	draws     loopDraws

	begun    bool
	limit    int
	inFlight int
	half     int64 // completed in the first half of the run
	shown    int64 // completed at the last point of the trace

	law    control.Controller
	member company.Member
	r      account
	base   struct{ own, machine float64 } // CPU times when the loop began
	sensed int                            // in flight at the newest tick
	heard  int64                          // overloads at it
	last   float64                        // time of it
	after  time.Duration                  // the law wants no reading before this

	trace   []LoopPoint
	changes []Change
}

// loopDraws are the sources of randomness of a loop, each its own, so that two
// laws meet the same sequence in each.
type loopDraws struct{ wait, cpu, outcome, tick *rand.Rand }

func (l *companyLoop) ended(u *companyUnit, o outcome, now float64) {
	l.inFlight--
	switch o {
	case done:
		l.r.completed(now-u.begun, u.epoch)
	case overloaded:
		l.r.Overloads++
	case ignored:
		l.r.Ignored++
	}
}
