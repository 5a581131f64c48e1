package sweetspot

import (
	"runtime"

	"github.com/sweetspot-go/sweetspot/internal/forkjoin"
)

// A Joiner runs a recursive computation on several goroutines by [Join], [JoinSerial]
// and [Joiner.Do], and bounds their number. Make one for each computation or keep it
// for many; it holds no goroutine between them.
//
// A Joiner belongs to one goroutine at a time. Halves that move to another goroutine
// are called with a Joiner of their own, which shares the bound.
//
// It is a heartbeat scheduler on private deques. A Join that may be large puts its
// second half on a deque that only its own goroutine reads, so it needs no
// synchronisation. Now and then a Join reads the clock. If a goroutine is free and the
// oldest half is old enough, that half is promoted. So promoted halves are large, and
// the work already done pays for moving them.
type Joiner struct{ inner forkjoin.Joiner }

// NewJoiner returns a Joiner for GOMAXPROCS goroutines, the caller's included, or for a
// [Fixed] number. It uses fewer where the work does not pay for more.
//
// With a [*Limiter] each goroutine except the caller's holds a permit while it works,
// and gives it back while it waits for another. Permits are taken only if they are free
// at once. A changed limit takes effect at the next start of a goroutine.
//
// NewJoiner panics if the options contradict each other.
func NewJoiner(opts ...Option) *Joiner {
	s := settingsOf("NewJoiner", opts)
	n := s.Fixed
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	var permits forkjoin.Permits
	if s.Limiter != nil {
		permits = s.Limiter
	}
	return &Joiner{forkjoin.New(n, permits, childJoiner, wrapPanic)}
}

func childJoiner(inner forkjoin.Joiner) (any, *forkjoin.Joiner) {
	j := &Joiner{inner}
	return j, &j.inner
}

// Join returns f(j, a) and f(j, b). They run one after the other in the goroutine of
// the caller, unless a goroutine of the Joiner is free and the recursion has gone on
// long enough to pay for waking it. Then the second half of the oldest open Join moves
// there. f must call Join with the Joiner that it is given, not with that of its
// caller.
//
//	func sum(j *sweetspot.Joiner, t *tree) int {
//		if t == nil {
//			return 0
//		}
//		l, r := sweetspot.Join(j, sum, t.left, t.right)
//		return l + t.value + r
//	}
//
// Results come in the order of the arguments. In one goroutine, Join runs the half of a
// first. If you know which half is larger, pass it as a, so that the other can move
// meanwhile.
//
// When the outermost Join returns, even by a panic or Goexit, everything that it
// started has returned. A panic in another goroutine reaches the caller as a
// [*PanicError], once the first half has returned; a panic in the goroutine of the
// caller passes unchanged. A Goexit in another goroutine ends that of the caller. If
// both halves fail, only one failure is passed on. There is no ctx: to cancel, let f
// return.
//
// A Join costs about 3 ns more than two calls and allocates nothing, unless a half
// moves; an outermost one costs 0.1 µs. If a call of f does less than 50 ns of work
// beside its Join, [JoinSerial] is faster. Threads take 0.1 ms to wake, so computations
// of less than about 0.3 ms stay in the goroutine of the caller. The exceptions are the
// first computation of a function, and those with more than 10 µs for each Join.
func Join[X, R any](j *Joiner, f func(*Joiner, X) R, a, b X) (ra, rb R) {
	if j == nil {
		panic(forkjoin.NotMade)
	}
	if j.inner.Plain() {
		ra = f(j, a)
		rb = f(j, b)
		return ra, rb
	}
	return forkjoin.Join(&j.inner, j, f, a, b)
}

// JoinSerial is [Join] for fine-grained recursions. serial must return the same as f,
// by a plain recursion without a Joiner. JoinSerial calls serial for halves that are
// probably too small to be worth sharing. So nearly all work runs at the speed of
// serial, and f only divides it.
//
//	func fib(j *sweetspot.Joiner, n int) int {
//		if n < 2 {
//			return n
//		}
//		a, b := sweetspot.JoinSerial(j, fib, serialFib, n-1, n-2)
//		return a + b
//	}
//
// There is no cutoff to choose. JoinSerial learns how long a second half takes from how
// long first halves take, and relearns when a piece takes much longer. If one half
// after the other is almost empty, the data is a list rather than a tree, and the rest
// of it goes to serial. A Joiner that allows one goroutine calls only serial.
//
// Which half runs first is not defined: it should be the larger one, and JoinSerial
// learns that too. Both are remembered for each function, for the next Joiner too, so
// only the very first computation may start a goroutine that does not pay. Everything
// else is as for Join. A nil serial makes it Join.
func JoinSerial[X, R any](j *Joiner, f func(*Joiner, X) R, serial func(X) R, a, b X) (ra, rb R) {
	if j == nil {
		panic(forkjoin.NotMade)
	}
	return forkjoin.JoinSerial(&j.inner, j, f, serial, a, b)
}

// Do runs a and b as [Join] does, for two different halves. Each must use the Joiner
// that it is given. It costs as much as Join, plus the variables that a and b capture.
func (j *Joiner) Do(a, b func(*Joiner)) {
	if j == nil {
		panic(forkjoin.NotMade)
	}
	j.inner.About(a)
	Join(j, callHalf, a, b)
}

func callHalf(j *Joiner, f func(*Joiner)) struct{} {
	f(j)
	return struct{}{}
}
