package sweetspot

import "sync/atomic"

// A memo is what is remembered of a function that calls Join, from one
// computation to the next and from one Joiner to the other. It does not change.
type memo struct {
	code    uintptr // where the function is
	verdict verdict
	lasting uint8 // computations, one after the other, that would have paid for a thread at once
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

// A computation that takes lastingSerial in one goroutine gains more by a thread
// woken at once than that costs: with two it should take half, and a quarter
// more for the time that the thread needs to wake. One that was shared takes
// lastingShared if it does so.
const (
	lastingSerial = int64(4 * wakeCost)
	lastingShared = int64(5 * wakeCost / 2)
)

// lastingAlways computations that lasted let the next one be taken to last, too:
// where long ones and short ones alternate, none is.
const lastingAlways = 2

// remember notes how a computation went. That it was fine, or short, is believed
// at once, so that tiny ones do not pay for large ones of the same function.
func remember(j *Joiner, took int64, wasCoarse bool) {
	old := memoOf(j.key)
	v := paceFine
	switch {
	case wasCoarse && old.verdict == paceFine:
		v = paceCoarseOnce
	case wasCoarse:
		v = paceCoarse
	}
	least := lastingSerial
	if j.forks > j.forksBefore {
		least = lastingShared
	}
	lasting := uint8(0)
	if took >= least {
		lasting = min(old.lasting+1, lastingAlways)
	}
	if v == old.verdict && lasting == old.lasting && !j.learnt {
		return
	}
	j.learnt = false
	memoPlace(j.key).Store(&memo{code: j.key, verdict: v, lasting: lasting, pace: j.pace, after: j.after, reverse: j.reverse})
}
