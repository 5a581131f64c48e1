package loop

import "time"

// A Chunk is what a goroutine of a parallel call has done under one permit since it last
// reported: units by their outcome, and when, on the clock of the Loop.
type Chunk struct {
	Done, Ignored, Overloaded int
	Began, Ended              time.Duration
	Nested                    *Nested // what calls inside of units have done, or nil
}

// Finish counts the units of a chunk and renews the permit it ran under, or gives it
// back. It reports whether the caller still holds the permit, which it does not unless
// keep is true.
//
// For the controller a chunk is one turn, whose weight is the number of units done: chunks are
// what ends independently of each other, so the noise of a throughput goes by them.
func (l *Loop) Finish(c Chunk, keep bool) bool {
	p := &l.plant
	if failed := c.Ignored + c.Overloaded; failed > 0 {
		l.finishFailed(c, failed)
	}
	l.overloaded(c.Overloaded, c.Done, c.Nested)
	if c.Done == 0 {
		if in := p.sem.Counters(); keep && in.InFlight <= in.Limit {
			return true
		}
		p.sem.Cancel()
		return keep && p.sem.TryAcquire() // else all would leave where one has to
	}
	p.residence.add(c.Began, c.Ended)
	if c.Done > 1 {
		p.further.done.Add(int64(c.Done - 1))
	}
	if keep {
		return p.sem.Renew()
	}
	p.sem.Release()
	return false
}

// finishFailed counts the units of a chunk that failed.
func (l *Loop) finishFailed(c Chunk, failed int) {
	further := failed
	if c.Done == 0 {
		further-- // one of them is the turn
	}
	l.plant.further.failed.Add(int64(further))
	l.plant.ignored.Add(int64(c.Ignored))
}

// Outweigh takes note of the weight of a done unit of a chunk, which counts as one
// otherwise.
func (l *Loop) Outweigh(weight int64) { l.plant.outweigh(weight) }
