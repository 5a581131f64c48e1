package forkjoin

import "math"

// Join returns f(outer, a) and f(outer, b), for a Join that is not plain. j is the
// Joiner inside outer. The second half may move to another goroutine.
func Join[J, X, R any](j *Joiner, outer *J, f func(*J, X) R, a, b X) (ra, rb R) {
	if j.alone { // after 2^63 plain ones, or 2^31
		j.left = math.MaxInt
		return f(outer, a), f(outer, b)
	}
	d, ok := j.deque.(*deque[J, X, R])
	if !ok {
		d = dequeOf[J, X, R](j)
	}
	depth := j.depth
	if depth == 0 {
		j.begin(codeOf(f))
	}
	j.depth = depth + 1
	began, expected := j.now(), j.expected
	i := d.push(f, b, began)
	returned := false
	defer func() {
		if !returned {
			d.abandon(j, i, depth)
		}
	}()
	if j.count() {
		j.look()
	}

	j.expect(expected/2, plainMax)
	ra = f(outer, a)
	if k := d.pop(i); k != nil && !k.reclaim() {
		rb = k.wait(j)
	} else {
		if j.coarse {
			j.look()
		}
		j.expect(max(j.now()-began, expected/2), plainMax)
		rb = f(outer, b)
	}
	if took := j.now() - began; took > expected {
		j.expect(took, climbMin)
	} else {
		j.expect(expected, plainMax)
	}

	returned = true
	j.depth = depth
	if depth == 0 {
		j.end()
	}
	return ra, rb
}

// JoinSerial is Join where serial returns the same as f, faster and in one
// goroutine. It calls serial for halves that are too small to be worth sharing.
// Which half runs first is learnt; the results are in the order of the arguments.
// A nil serial makes it Join.
func JoinSerial[J, X, R any](j *Joiner, outer *J, f func(*J, X) R, serial func(X) R, a, b X) (ra, rb R) {
	if serial == nil {
		if j.Plain() {
			return f(outer, a), f(outer, b)
		}
		return Join(j, outer, f, a, b)
	}
	if j.alone {
		return serial(a), serial(b)
	}
	d, ok := j.deque.(*deque[J, X, R])
	if !ok {
		d = dequeOf[J, X, R](j)
	}
	depth := j.depth
	if depth == 0 {
		j.begin(codeOf(f))
	}
	j.depth = depth + 1
	reversed := j.descend()
	if reversed {
		a, b = b, a
	}
	i := d.push(f, b, j.now())
	returned := false
	defer func() {
		if !returned {
			d.abandon(j, i, depth)
		}
	}()
	if j.count() {
		j.look()
	}

	began, forks, guessed, likely := j.now(), j.forks, j.guessed, j.likely
	dropped := j.firstSmall(reversed, likely)
	if dropped {
		if took := piece(j, serial, a, &ra, j.first.of(reversed, likely), false); took > 0 {
			j.learnFirst(reversed, likely, took)
		}
	} else {
		j.likely = likely / 2
		ra = f(outer, a)
	}
	ended := j.now()
	first := ended - began
	sure := first >= sureness*guessed
	if !dropped && sure && j.forks == forks {
		j.learnFirst(reversed, likely, first)
	}
	if k := d.pop(i); k != nil && !k.reclaim() {
		rb = k.wait(j)
	} else if j.small(reversed, first) {
		took := piece(j, serial, b, &rb, j.after.of(reversed, first), j.listed())
		if took > 0 && sure {
			j.learn(reversed, first, took)
		}
	} else {
		if j.coarse {
			j.look()
		}
		j.likely = first
		rb = f(outer, b)
		j.ascend()
		// If there are forks, part of it ran elsewhere, unmeasured.
		if second := j.now() - ended; j.forks == forks && sure && second >= sureness*j.guessed {
			j.learn(reversed, first, second)
		}
	}
	j.likely = j.now() - began // if f goes on to join

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

// piece sets r to serial(x), of which e is expected, and returns the time that it
// took, or 0 if that was not measured.
func piece[X, R any](j *Joiner, serial func(X) R, x X, r *R, e *expectation, list bool) (took int64) {
	j.dropped = true
	if j.guesses < guessesMost && j.guessed+int64(e.ns) < timedMin && !list && !j.waking {
		*r = serial(x)
		j.guess(int64(e.ns))
		return 0
	}
	began := monotonic()
	j.sync(began)
	*r = serial(x)
	j.set(monotonic())
	took = j.base - began
	if list {
		j.streak = 0 // and offer nothing: what waits is items of the list
		return 0
	}
	j.offer()
	return took
}
