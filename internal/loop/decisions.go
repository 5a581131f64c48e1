package loop

import (
	"slices"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A Decision is one on the limit. The fields are explained at sweetspot.Decision.
type Decision struct {
	Seq      int64
	At       time.Duration
	From, To int
	Reason   control.Reason
}

const (
	decisionsKept = 256
	// decisionsFirst is room for what a short parallel call decides.
	decisionsFirst = 4
)

// decisions is a ring of the newest ones.
type decisions struct {
	first [decisionsFirst]Decision
	ring  []Decision
	next  int
	count int64
	kinds [control.Manual + 1]int64
}

// add numbers a decision, keeps it and returns it.
func (l *decisions) add(d Decision) Decision {
	l.count++
	d.Seq = l.count
	if k := d.Reason.Kind; k <= control.Manual {
		l.kinds[k]++
	}
	if l.ring == nil {
		l.ring = l.first[:0]
	}
	if len(l.ring) < decisionsKept {
		l.ring = append(l.ring, d)
		return d
	}
	l.ring[l.next] = d
	l.next = (l.next + 1) % decisionsKept
	return d
}

// tentative reports whether nothing was decided, but for experiments that have begun.
func (l *decisions) tentative() bool {
	return !slices.ContainsFunc(l.ring, func(d Decision) bool {
		return d.Reason.Kind != control.Start && d.Reason.Kind != control.Probe
	})
}
