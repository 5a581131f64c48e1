package sense

import "time"

// A tally is how many things are in use under a limit, and how many more fit.
type tally struct {
	used, room float64
	known      bool
	perUnit    float64 // what a unit uses at most, an assumption that lets growth begin
	what       string
}

func (t *tally) why() string { return t.what }

func (t *tally) look(b *bound, _ time.Duration, peak, _ int) {
	if t.known {
		b.pace(peak, t.used, t.room, t.perUnit)
	} else {
		b.free()
	}
}
