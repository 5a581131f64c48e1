package sweetspot

// A lane is the stack of the second halves of open Joins of one pair of types,
// none of which has begun. It is private to one goroutine.
type lane[X, R any] struct {
	frames []frame[X, R]
	top    int // frames in use
	next   int // the frames below have moved to other goroutines
}

// A frame is one second half: f(x).
type frame[X, R any] struct {
	x      X
	f      func(*Joiner, X) R
	pushed int64       // when, by the clock of the Joiner
	fork   *fork[X, R] // where it moved, only of account below next
}

// A promoter is a lane of any type.
type promoter interface {
	oldest() (pushed int64, ok bool) // of the frames that have not moved
	promote(j *Joiner) runner        // makes that frame a fork
	wipe()                           // forgets what users have given
}

// Most recursions are no deeper than lanePlaces. Beyond laneKept, what a lane
// holds is not kept for the next computation.
const (
	lanePlaces = 16
	laneKept   = 1024
)

// laneOf returns the lane of j for X and R, and makes it the current one.
func laneOf[X, R any](j *Joiner) *lane[X, R] {
	if j.team == nil {
		panic(notMade)
	}
	for _, p := range j.lanes {
		if l, ok := p.(*lane[X, R]); ok {
			j.lane = l
			return l
		}
	}
	l := new(lane[X, R])
	j.lane = l
	j.lanes = append(j.lanes, l)
	return l
}

func (l *lane[X, R]) push(f func(*Joiner, X) R, x X, now int64) int {
	i := l.top
	if i == len(l.frames) {
		l.grow()
	}
	fr := &l.frames[i]
	fr.x, fr.f, fr.pushed = x, f, now
	l.top = i + 1
	return i
}

func (l *lane[X, R]) grow() {
	frames := make([]frame[X, R], max(2*len(l.frames), lanePlaces))
	copy(frames, l.frames)
	l.frames = frames
}

// pop takes the top frame, i, away and returns where it moved, or nil.
func (l *lane[X, R]) pop(i int) *fork[X, R] {
	l.top = i
	if i >= l.next {
		return nil
	}
	l.next = i
	k := l.frames[i].fork
	l.frames[i].fork = nil
	return k
}

// abandon ends a Join that a panic or Goexit passes through.
func (l *lane[X, R]) abandon(j *Joiner, i, depth int) {
	if l.top > i {
		if k := l.pop(i); k != nil && !k.reclaim() {
			k.await(j)
		}
	}
	j.ascend()
	j.depth = depth
	if depth == 0 {
		j.end()
	}
}

func (l *lane[X, R]) oldest() (pushed int64, ok bool) {
	if l.next == l.top {
		return 0, false
	}
	return l.frames[l.next].pushed, true
}

func (l *lane[X, R]) promote(j *Joiner) runner {
	fr := &l.frames[l.next]
	l.next++
	fr.fork = &fork[X, R]{
		f: fr.f, x: fr.x,
		j:    j.fork(),
		held: j.held,
		done: make(chan struct{}),
	}
	return fr.fork
}

func (l *lane[X, R]) wipe() {
	if len(l.frames) > laneKept {
		l.frames = nil
		return
	}
	clear(l.frames)
}
