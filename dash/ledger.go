package dash

import (
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// A ledger knows when the decisions of a Limiter fell. The decisions themselves
// the Limiter remembers, by time of work only.
type ledger struct {
	total int64   // decisions since New
	times []int64 // of the newest, ms since 1970; 0: before anybody looked
	why   string  // of the newest, in words
}

// A change is a decision as it goes over the wire.
type change struct {
	Seq    int64   `json:"seq"`
	Time   *int64  `json:"time"`
	Active seconds `json:"active"`
	From   int     `json:"from"`
	To     int     `json:"to"`
	Kind   string  `json:"kind"`
	Why    string  `json:"why"`
}

// enter takes in the decisions of l since the measurement before, which was at a
// time that is zero if there was none. now is when l had been active so long.
func (g *ledger) enter(l *sweetspot.Limiter, active time.Duration, before, now time.Time) {
	list := l.Decisions()
	if len(list) == 0 || list[len(list)-1].Seq == g.total {
		return
	}
	newest := list[len(list)-1]
	for _, c := range list[max(0, len(list)-int(min(newest.Seq-g.total, changesKept))):] {
		var at int64
		if !before.IsZero() {
			// At the latest so long ago as there was work since; rests come on top, but
			// not beyond the measurement before.
			t := now.Add(-max(0, active-c.At))
			if t.Before(before) {
				t = before
			}
			at = t.UnixMilli()
		}
		g.times = append(g.times, at)
	}
	g.times = trim(g.times, changesKept)
	g.total, g.why = newest.Seq, newest.Reason.String()
}

// after returns the decisions of l with a number above seq that have been entered.
func (g *ledger) after(l *sweetspot.Limiter, seq int64) []change {
	if l == nil || g.total <= seq {
		return []change{}
	}
	list := l.Decisions()
	out := make([]change, 0, len(list))
	for _, c := range list {
		n := c.Seq
		if n <= seq || n > g.total {
			continue
		}
		ch := change{Seq: n, Active: seconds(c.At.Seconds()), From: c.From, To: c.To, Kind: c.Reason.Kind.String(), Why: c.Reason.String()}
		if at := int64(len(g.times)-1) - (g.total - n); at >= 0 && g.times[at] != 0 {
			ch.Time = &g.times[at]
		}
		out = append(out, ch)
	}
	return out
}
