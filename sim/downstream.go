package sim

import (
	"math"
	"math/rand/v2"
)

// A downstream is a service that several loops share. Its clock is the
// work that a job does which is never held up: it runs slower the more jobs are
// there, so that a change of speed moves no entry of the heap.
type downstream struct {
	servers int
	slow    slowness
	service sampler
	draws   *rand.Rand

	now, work float64
	ends      endings // by work
	queued    queue[int32]
	serving   int
}

func (d *downstream) jobs() int { return d.serving + d.queued.n }

// next returns when the next job is served, +Inf if none is.
func (d *downstream) next() float64 {
	if len(d.ends) == 0 {
		return math.Inf(1)
	}
	return d.now + max(0, d.ends[0].key-d.work)*d.slow.of(max(d.jobs(), 1))
}

func (d *downstream) pass(to float64) {
	if dt := to - d.now; dt > 0 {
		d.work += dt / d.slow.of(max(d.jobs(), 1))
	}
	d.now = to
}

func (d *downstream) arrive(now float64, unit int32) {
	d.pass(now)
	if d.serving == d.servers {
		d.queued.push(unit)
		return
	}
	d.serve(unit)
}

func (d *downstream) serve(unit int32) {
	d.serving++
	d.ends.push(ending{d.work + d.service.draw(d.draws), unit})
}

// leave returns the job that is served now.
func (d *downstream) leave(now float64) int32 {
	d.pass(now)
	e := d.ends.pop()
	d.work = max(d.work, e.key)
	d.serving--
	if d.queued.n > 0 {
		d.serve(d.queued.pop())
	}
	return e.unit
}
