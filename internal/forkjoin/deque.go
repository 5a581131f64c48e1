package forkjoin

// A deque holds the second halves of open promotable Joins of one pair of types,
// none of which has begun. It is private to one goroutine, which pushes and pops
// at the top and promotes at the bottom.
type deque[J, X, R any] struct {
	frames []frame[J, X, R]
	top    int // frames in use
	next   int // the frames below have moved to other goroutines
}

// A frame is one second half: f(x).
type frame[J, X, R any] struct {
	x      X
	f      func(*J, X) R
	pushed int64          // when, by the clock of the Joiner
	fork   *fork[J, X, R] // where it moved; means nothing from next on
}

// Most recursions are no deeper than framesFirst. Beyond framesKept, what a deque
// holds is not kept for the next computation.
const (
	framesFirst = 16
	framesKept  = 1024
)

// dequeOf returns the deque of j for J, X and R, and makes it the current one.
func dequeOf[J, X, R any](j *Joiner) *deque[J, X, R] {
	if j.team == nil {
		panic(NotMade)
	}
	for _, p := range j.deques {
		if d, ok := p.(*deque[J, X, R]); ok {
			j.deque = d
			return d
		}
	}
	d := new(deque[J, X, R])
	j.deque = d
	j.deques = append(j.deques, d)
	return d
}

func (d *deque[J, X, R]) push(f func(*J, X) R, x X, now int64) int {
	i := d.top
	if i == len(d.frames) {
		d.grow()
	}
	fr := &d.frames[i]
	fr.x, fr.f, fr.pushed = x, f, now
	d.top = i + 1
	return i
}

func (d *deque[J, X, R]) grow() {
	frames := make([]frame[J, X, R], max(2*len(d.frames), framesFirst))
	copy(frames, d.frames)
	d.frames = frames
}

// pop takes the top frame, i, away and returns where it moved, or nil.
func (d *deque[J, X, R]) pop(i int) *fork[J, X, R] {
	d.top = i
	if i >= d.next {
		return nil
	}
	d.next = i
	k := d.frames[i].fork
	d.frames[i].fork = nil
	return k
}

// abandon ends a Join that a panic or Goexit passes through.
func (d *deque[J, X, R]) abandon(j *Joiner, i, depth int) {
	if d.top > i {
		if k := d.pop(i); k != nil && !k.reclaim() {
			k.await(j)
		}
	}
	j.ascend()
	j.depth = depth
	if depth == 0 {
		j.end()
	}
}

func (d *deque[J, X, R]) oldest() (pushed int64, ok bool) {
	if d.next == d.top {
		return 0, false
	}
	return d.frames[d.next].pushed, true
}

func (d *deque[J, X, R]) promote(j *Joiner) task {
	fr := &d.frames[d.next]
	d.next++
	outer, inner := j.fork(j.now() - fr.pushed)
	fr.fork = &fork[J, X, R]{
		f: fr.f, x: fr.x,
		outer:    outer.(*J),
		j:        inner,
		handOver: j.hasPermit,
		done:     make(chan struct{}),
	}
	return fr.fork
}

func (d *deque[J, X, R]) wipe() {
	if len(d.frames) > framesKept {
		d.frames = nil
		return
	}
	clear(d.frames)
}
