package sweetspot

import "sync/atomic"

// A memo is what is remembered of a function that calls Join, from one
// computation to the next and from one Joiner to the other. It does not change.
type memo struct {
	code    uintptr // where the function is
	verdict verdict
	pace    int64
	after   expectations
	reverse bool
}

// A verdict says how much time there is per Join.
type verdict uint8

const (
	paceUnknown verdict = iota
	paceFine            // little, or the computation is short
	paceCoarseOnce
	paceCoarse // much
)

// memos remembers functions, each in a place given by its address. Functions that
// meet in one forget each other's, and learn again.
var memos [256]atomic.Pointer[memo]

func memoPlace(code uintptr) *atomic.Pointer[memo] {
	return &memos[uint64(code)*0x9E3779B97F4A7C15>>56] // Fibonacci hashing
}

var noMemo memo

func memoOf(code uintptr) *memo {
	if m := memoPlace(code).Load(); m != nil && m.code == code {
		return m
	}
	return &noMemo
}

// remember notes how a computation went. That it was fine is believed at once,
// so that tiny ones do not pay for large ones of the same function.
func remember(j *Joiner, wasCoarse bool) {
	old := memoOf(j.key)
	v := paceFine
	switch {
	case wasCoarse && old.verdict == paceFine:
		v = paceCoarseOnce
	case wasCoarse:
		v = paceCoarse
	}
	if v == old.verdict && !j.learnt {
		return
	}
	j.learnt = false
	memoPlace(j.key).Store(&memo{code: j.key, verdict: v, pace: j.pace, after: j.after, reverse: j.reverse})
}
