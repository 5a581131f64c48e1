package sweetspot

import (
	"slices"
	"sync"
)

// turns lets one Limiter of the process experiment at a time: experiments that
// overlap measure each other. It is fair: who asked first comes first.
//
// It is the only state that Limiters share.
var turns turnstile

type turnstile struct {
	mu     sync.Mutex
	holder *governor
	queue  []*governor
}

// A line is what a governor knows of the one ahead of it at the turnstile.
type line struct {
	ahead *governor
	beat  int64 // of ahead, when it last changed
	asks  int   // of ours since then
}

// patience is how often a governor asks, about once a tick, before it takes the
// one ahead of it for dead. Governors that live tick all the time. Dead are
// those whose timer will never fire: they were left in a synctest bubble that
// has ended with units in flight.
const patience = 100

// ask reports whether g may experiment now. If so, g holds the turn until it
// leaves; two that ask at the same time never both get it.
func (t *turnstile) ask(g *governor) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.ahead(g); a != nil && !g.line.dead(a) {
		return false
	} else if a != nil {
		t.remove(a)
		if t.ahead(g) != nil {
			return false
		}
	}
	t.remove(g)
	t.holder = g
	return true
}

// ahead returns who comes before g, or nil.
func (t *turnstile) ahead(g *governor) *governor {
	switch {
	case t.holder == g:
		return nil
	case t.holder != nil:
		return t.holder
	case len(t.queue) > 0 && t.queue[0] != g:
		return t.queue[0]
	}
	return nil
}

// dead reports whether a, who is ahead, has shown no sign of life for long.
func (l *line) dead(a *governor) bool {
	if beat := a.beat.count.Load(); l.ahead != a || l.beat != beat {
		*l = line{ahead: a, beat: beat}
	}
	l.asks++
	if l.asks < patience {
		return false
	}
	*l = line{}
	return true
}

// queueUp puts g, whom ask refused, behind those who wait.
func (t *turnstile) queueUp(g *governor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder != g && !slices.Contains(t.queue, g) {
		t.queue = append(t.queue, g)
	}
}

// leave records that g neither experiments nor wants to.
func (t *turnstile) leave(g *governor) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(g)
	g.line = line{} // holds nobody in memory
}

func (t *turnstile) remove(g *governor) {
	if t.holder == g {
		t.holder = nil
	}
	if i := slices.Index(t.queue, g); i >= 0 {
		t.queue = slices.Delete(t.queue, i, i+1)
	}
}
