package forkjoin

import (
	"math"
	"reflect"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A Joiner divides the work of one goroutine. It is a part of another object, the
// outer one, which the functions get. The zero Joiner refuses to join.
type Joiner struct {
	clock
	expected    int64   // time of the next Join
	depth       int     // Joins open here that are not plain, and 1 more if this is the Joiner of a fork
	forks       int     // halves moved so far
	forksBefore int     // this computation
	key         uintptr // the function that its outermost Join is about
	took        int64   // what the last computation of that function took; 0 if unknown
	about       uintptr // the same, if the caller named another one

	team      *team
	alone     bool // nothing can be forked, ever
	hasPermit bool // runs under a permit of the team
	lasting   bool // the last computations of this function paid for a thread
	waking    bool // and this one is about to wake it

	deque  promoter   // of the last Join
	deques []promoter // one for each pair of types

	cutoff
}

// A promoter is a deque of any type.
type promoter interface {
	oldest() (pushed int64, ok bool) // of the halves that have not moved
	promote(j *Joiner) task          // makes that half a fork
	wipe()                           // forgets what users have given
}

// A half must have waited for so long before it moves.
const (
	// waitToWake is the time where a thread must be woken for it: twice as long as
	// that takes. Computations that are over by then would be slower for it, and
	// longer ones are hardly the slower for waiting.
	waitToWake = 2 * wakeTime
	// waitAwake is the time where a goroutine is awake: moving then takes a
	// microsecond.
	waitAwake = int64(8 * time.Microsecond)
	// waitLasting is the time where computations of the function are known to last:
	// the sooner the thread wakes, the better.
	waitLasting = int64(5 * time.Microsecond)
)

const (
	// plainMax is the longest time that a Join is expected to take and still plain:
	// where it takes longer, its second half has waited for waitAwake when it begins.
	plainMax = int64(8 * time.Microsecond)

	// climbMin is plainMax after a Join that took longer than expected: the next one
	// may be larger again, so that what is large is found step by step.
	climbMin = plainMax / 8

	// expectedFirst is the least that an outermost Join is expected to take, so that
	// those next to it are promotable, too. The last computation may have been small.
	expectedFirst = 4 * plainMax
)

// NotMade is what is wrong with a nil Joiner or a zero one.
const NotMade = "sweetspot: Join: Joiner not made by NewJoiner"

// New returns a Joiner for n goroutines, the caller's included. If permits is not
// nil, each goroutine except the caller's needs one of them instead, and n does
// not count. child returns the outer object of a Joiner for a half that moves, and
// the Joiner inside it. A panic in another goroutine goes on as wrap says.
func New(n int, permits Permits, child func(Joiner) (outer any, inner *Joiner), wrap panics.Wrap) Joiner {
	t := &team{permits: permits, child: child, wrap: wrap}
	t.free.Store(int64(n) - 1)
	j := Joiner{
		team:      t,
		alone:     n == 1 && permits == nil,
		hasPermit: permits == nil,
	}
	if j.alone {
		j.left = math.MaxInt
	}
	return j
}

// About says which function the next outermost Join is about, where it is not the
// one that Join is given.
func (j *Joiner) About(f any) {
	if j.depth == 0 {
		j.about = codeOf(f)
	}
}

// begin prepares an outermost Join.
func (j *Joiner) begin(f uintptr) {
	if j.about != 0 {
		f = j.about
	}
	r := recordOf(f)
	if f != j.key {
		j.key = f
		j.pace, j.took = r.pace, r.took
		j.cutoff = cutoff{first: r.first, after: r.after, reverse: r.reverse}
	}
	j.cutoff.start()
	j.expected = max(j.took, expectedFirst)
	j.forksBefore = j.forks
	j.lasting = r.lasting == lastingAlways
	j.waking = j.lasting
	j.clock.start(r.verdict != paceFine)
}

// end ends an outermost Join, after which nothing is left of it.
func (j *Joiner) end() {
	now, joins := monotonic(), j.total+int64(j.joins())
	j.late(now - j.now())
	j.took = now - j.began
	j.remember(!j.dropped && j.took/max(joins, 1) >= coarsePace)
	j.dropped = false
	j.ascend()
	j.about = 0
	j.grant(0) // the next Join is an outermost one
	j.team.dismiss()
	for _, d := range j.deques {
		d.wipe()
	}
}

// remember notes how a computation went.
func (j *Joiner) remember(coarse bool) {
	old := recordOf(j.key)
	v, lasting := old.follow(j.took, coarse, j.forks > j.forksBefore)
	if v == old.verdict && lasting == old.lasting && !j.learnt {
		return
	}
	j.learnt = false
	(&record{code: j.key, verdict: v, lasting: lasting, took: j.took, pace: j.pace, first: j.first, after: j.after, reverse: j.reverse}).keep()
}

// look reads the clock, and promotes the oldest half if that pays.
func (j *Joiner) look() {
	now := monotonic()
	j.late(now - j.now())
	j.sync(now)
	j.offer()
}

// expect says how long the next Join should take. If that is at most plainMost, all
// Joins until the next look are plain.
func (j *Joiner) expect(ns, plainMost int64) {
	j.expected = ns
	n := 0
	if ns <= plainMost {
		n = j.step
	}
	j.grant(n)
}

// offer promotes the oldest half, if a goroutine is to be had and the half has
// waited for long enough. The first Joins of a function not known are not made to
// wait: a half that does not join inside would otherwise never move.
func (j *Joiner) offer() {
	now := j.now()
	j.waking = j.waking && now-j.began < waitLasting
	some, awake := j.team.spare()
	if !some {
		return
	}
	since, lasts := now, false
	switch {
	case j.coarse:
	case awake:
		since -= waitAwake
	case j.lasting && j.forks == j.forksBefore:
		since -= waitLasting
		lasts = j.key != 0
	default:
		since -= waitToWake
	}
	var from promoter
	for _, d := range j.deques {
		if pushed, ok := d.oldest(); ok && pushed <= since {
			from, since = d, pushed
		}
	}
	if waited := now - since; from == nil || !awake && !j.coarse && j.piece(j.reverse, waited) && !(lasts && j.larger(j.reverse, waited)) {
		return // a thread is not woken for what could go to serial
	}
	if s, ok := j.team.reserve(); ok {
		r := from.promote(j)
		if s != nil {
			s.send(r)
		} else {
			j.team.launch(r)
		}
		j.exclude(now)
	}
}

// fork returns the Joiner of a half that moves and has waited for so long, and its
// outer object. It knows what j has learnt.
func (j *Joiner) fork(waited int64) (outer any, inner *Joiner) {
	j.forks++
	c := Joiner{team: j.team, hasPermit: true, depth: 1, expected: max(waited, expectedFirst), clock: j.clock, cutoff: j.cutoff, lasting: j.lasting}
	c.ascend()
	c.likely = waited
	return j.team.child(c)
}

// codeOf returns what tells the code of f from that of other functions.
func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }
