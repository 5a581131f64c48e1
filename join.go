package sweetspot

// Join returns f(j, a) and f(j, b). They run one after the other in the
// goroutine of the caller, unless a goroutine of the Joiner is free and the
// recursion has gone on for long enough to pay for waking it: then the second
// half of the oldest Join still open moves there. f must call Join with the
// Joiner that it is given, not with that of its caller.
//
//	func sum(j *sweetspot.Joiner, t *tree) int {
//		if t == nil {
//			return 0
//		}
//		l, r := sweetspot.Join(j, sum, t.left, t.right)
//		return l + t.value + r
//	}
//
// Results come in the order of the arguments. Of halves that run in one
// goroutine, Join runs that of a first; where it is known which one is larger,
// let that be a, so that the other can be taken meanwhile.
//
// Whatever was started has returned when the outermost Join returns, also by a
// panic or Goexit. What panics in another goroutine reaches the caller as a
// [*PanicError], once the first half has returned; a panic in the goroutine of
// the caller passes as it is. A Goexit in another goroutine ends that of the
// caller. If both halves fail, only one failure is passed on. There is no ctx:
// to cancel, let f return.
//
// A Join costs some 10 ns more than two calls and allocates nothing, except
// where a half moves; an outermost one costs 0.2 µs. Where a call of f does less
// than a few hundred nanoseconds of work beside its Join, use [JoinSerial].
// Threads take 0.1 ms to wake, so computations of less than some 0.3 ms stay in
// the goroutine of the caller, but for the first of a function and those with
// more than 10 µs for each Join.
func Join[X, R any](j *Joiner, f func(*Joiner, X) R, a, b X) (ra, rb R) {
	return JoinSerial(j, f, nil, a, b)
}

// JoinSerial is [Join] for fine-grained recursions. serial must return the same
// as f, by a plain recursion without a Joiner. JoinSerial calls serial for
// halves that it has reason to believe are too small to be worth sharing, so
// that nearly all work is done at the speed of serial, and f only divides it.
//
//	func fib(j *sweetspot.Joiner, n int) int {
//		if n < 2 {
//			return n
//		}
//		a, b := sweetspot.JoinSerial(j, fib, serialFib, n-1, n-2)
//		return a + b
//	}
//
// There is no cutoff to choose. How long a second half takes is learnt from how
// long first halves take, and holds until a piece takes much longer. If one half
// after the other is next to nothing, the data is a list rather than a tree; the
// rest of it then goes to serial. A Joiner that allows one goroutine calls
// nothing but serial.
//
// Which half runs first is not defined: it should be the larger one, and that is
// learnt, too. What is learnt is remembered for each function, and known to the
// next Joiner; only the very first computation may start a goroutine that does
// not pay. All else is as for Join. A nil serial makes it Join.
func JoinSerial[X, R any](j *Joiner, f func(*Joiner, X) R, serial func(X) R, a, b X) (ra, rb R) {
	if j == nil {
		panic(notMade)
	}
	if j.alone {
		if serial != nil {
			return serial(a), serial(b)
		}
		return f(j, a), f(j, b)
	}
	l, ok := j.lane.(*lane[X, R])
	if !ok {
		l = laneOf[X, R](j)
	}
	depth := j.depth
	if depth == 0 {
		j.begin(codeOf(f))
	}
	j.depth = depth + 1
	reversed := serial != nil && j.descend()
	if reversed {
		a, b = b, a
	}
	i := l.push(f, b, j.now)
	returned := false
	defer func() {
		if !returned {
			l.abandon(j, i, depth)
		}
	}()
	j.tick()

	began, forks, guessed := j.now, j.forks, j.guessed
	ra = f(j, a)
	ended := j.now
	switch k := l.pop(i); {
	case k != nil && !k.reclaim():
		rb = k.wait(j)
	case serial == nil:
		if j.eager {
			j.look()
		}
		rb = f(j, b)
	default:
		first := ended - began
		sure := first >= sureness*guessed
		if j.small(reversed, first) {
			rb = dropped(j, serial, b, reversed, first, sure)
			break
		}
		if j.eager {
			j.look()
		}
		rb = f(j, b)
		j.ascend()
		// If there are forks, part of it ran elsewhere, unmeasured.
		if second := j.now - ended; j.forks == forks && sure && second >= sureness*j.guessed {
			j.learn(reversed, first, second)
		}
	}

	returned = true
	j.depth = depth
	if depth == 0 {
		j.end()
	}
	if reversed {
		return rb, ra
	}
	return ra, rb
}

// Do runs a and b as [Join] does, for halves that have nothing in common. Each
// must use the Joiner that it is given. It costs as much as Join, and what is
// captured by a and b.
func (j *Joiner) Do(a, b func(*Joiner)) {
	if j == nil {
		panic(notMade)
	}
	if j.depth == 0 {
		j.doing = codeOf(a)
	}
	Join(j, callHalf, a, b)
}

func callHalf(j *Joiner, f func(*Joiner)) struct{} {
	f(j)
	return struct{}{}
}
