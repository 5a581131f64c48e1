package sweetspot

import (
	"reflect"
	"runtime"
)

// A Joiner runs a recursive computation on several goroutines by [Join],
// [JoinSerial] and [Joiner.Do], and bounds their number. Make one for each
// computation or keep it for many; it holds no goroutine between them.
//
// A Joiner belongs to one goroutine at a time. Halves that move to another
// goroutine are called with a Joiner of their own, which shares the bound.
//
// It works by heartbeats on private stacks: a Join notes its second half on the
// stack of its own Joiner, where nobody else looks, so that it costs no
// synchronisation. Now and then a Join looks at the clock; if a goroutine is
// free and the oldest note is old enough, that half moves. So what moves is
// large, and the cost of moving it is paid by work already done.
//
// See Acar, Charguéraud and Rainey, "Scheduling parallel programs by work
// stealing with private deques" (2013), and Acar, Charguéraud, Guatto, Rainey
// and Sieczkowski, "Heartbeat scheduling: provable efficiency for nested
// parallelism" (2018).
type Joiner struct {
	team        *team
	alone       bool    // nothing can be forked, ever
	held        bool    // runs on a slot of the team
	depth       int     // Joins open here, and 1 more if this is the Joiner of a fork
	forks       int     // halves moved so far
	forksBefore int     // this computation
	key         uintptr // the function that its outermost Join is about
	doing       uintptr // the same, if that Join is of Do

	lane  promoter   // of the last Join
	lanes []promoter // one for each pair of types

	pulse
	grain
}

// NewJoiner returns a Joiner for as many goroutines as GOMAXPROCS says now, the
// caller's included, or [Fixed] ones. Less are used where the work does not pay
// for more.
//
// With a [*Limiter] each goroutine except the caller's holds a permit while it
// works, and gives it back while it waits for another; permits are taken only
// if they are free at once. A limit that changes counts from the next start of a
// goroutine on.
//
// NewJoiner panics if the options contradict each other.
func NewJoiner(opts ...Option) *Joiner {
	s := settingsOf("NewJoiner", opts)
	t := &team{limiter: s.limiter}
	n := s.fixed
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	t.free.Store(int64(n) - 1)
	return &Joiner{
		team:  t,
		alone: n == 1 && s.limiter == nil,
		held:  s.limiter == nil,
	}
}

const notMade = "sweetspot: Join: Joiner not made by NewJoiner"

// fork returns the Joiner of a half that moves. It knows what j has learnt.
func (j *Joiner) fork() *Joiner {
	j.forks++
	c := &Joiner{team: j.team, held: true, depth: 1, pulse: j.pulse, grain: j.grain}
	c.descent, c.streak, c.early = 0, 0, false
	return c
}

// begin prepares an outermost Join.
func (j *Joiner) begin(f uintptr) {
	if j.doing != 0 {
		f = j.doing
	}
	m := memoOf(f)
	if f != j.key {
		j.key = f
		j.pace = m.pace
		j.grain = grain{after: m.after, reverse: m.reverse}
	}
	j.trying, j.descent, j.patience, j.streak = false, 0, 0, 0
	j.forksBefore = j.forks
	j.pulse.start(m)
}

// end ends an outermost Join, after which nothing is left of it.
func (j *Joiner) end() {
	now, joins := monotonic(), j.joins+int64(j.step-j.left)
	j.surprise(now - j.now)
	remember(j, now-j.began, !j.dropped && (now-j.began)/max(joins, 1) >= coarsePace)
	j.dropped = false
	j.ascend()
	j.doing = 0
	j.team.dismiss()
	for _, l := range j.lanes {
		l.wipe()
	}
}

// look reads the clock, and moves the oldest half if that pays.
func (j *Joiner) look() {
	now := monotonic()
	j.surprise(now - j.now)
	j.sync(now)
	j.offer()
}

// offer moves the oldest half to another goroutine, if one is to be had and the
// half has waited for a beat. The first Joins of a function not known are not
// made to wait: a half that does not join inside would otherwise never move.
func (j *Joiner) offer() {
	j.early = j.early && j.now-j.began < beatHasty
	some, awake := j.team.spare()
	if !some {
		return
	}
	since, lasts := j.now, false
	switch {
	case j.eager:
	case awake:
		since -= beatShort
	case j.hasty && j.forks == j.forksBefore:
		since -= beatHasty
		lasts = j.key != 0
	default:
		since -= beat
	}
	var lane promoter
	for _, l := range j.lanes {
		if pushed, ok := l.oldest(); ok && pushed <= since {
			lane, since = l, pushed
		}
	}
	if waited := j.now - since; lane == nil || !awake && !j.eager && j.piece(j.reverse, waited) && !(lasts && j.larger(j.reverse, waited)) {
		return // a thread is not woken for what could go to serial
	}
	if d, ok := j.team.hire(); ok {
		k := lane.promote(j)
		if d != nil {
			d.send(k)
		} else {
			j.team.launch(k)
		}
		j.exclude(j.now)
	}
}

// codeOf returns what tells the code of f from that of other functions.
func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }
