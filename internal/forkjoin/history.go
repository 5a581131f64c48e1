package forkjoin

import "sync/atomic"

// A record is what is known of a function that calls Join, from one computation
// to the next and from one Joiner to another. It does not change.
type record struct {
	code    uintptr // where the function is
	verdict verdict
	lasting uint8 // computations, one after the other, that would have paid for a thread at once
	took    int64 // one of these
	pace    int64
	first   expectations
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

// A computation that takes lastingSerial in one goroutine gains more by a thread
// woken at once than that costs: with two it should take half, and a quarter
// more for the time that the thread needs to wake. One that was shared takes
// lastingShared if it does so.
const (
	lastingSerial = 4 * wakeTime
	lastingShared = 5 * wakeTime / 2
)

// lastingAlways computations that lasted let the next one be taken to last, too:
// where long ones and short ones alternate, none is.
const lastingAlways = 2

// history is direct-mapped by the address of the function: two functions that meet
// in one place overwrite each other's record, and learn again.
var history [256]atomic.Pointer[record]

func place(code uintptr) *atomic.Pointer[record] {
	return &history[uint64(code)*0x9E3779B97F4A7C15>>56] // Fibonacci hashing
}

var nothing record

func recordOf(code uintptr) *record {
	if r := place(code).Load(); r != nil && r.code == code {
		return r
	}
	return &nothing
}

// follow judges one more computation of the function. That it was fine, or short,
// is believed at once, so that tiny ones do not pay for large ones of the same
// function.
func (r *record) follow(took int64, coarse, shared bool) (v verdict, lasting uint8) {
	v = paceFine
	switch {
	case coarse && r.verdict == paceFine:
		v = paceCoarseOnce
	case coarse:
		v = paceCoarse
	}
	least := lastingSerial
	if shared {
		least = lastingShared
	}
	if took >= least {
		lasting = min(r.lasting+1, lastingAlways)
	}
	return v, lasting
}

// keep replaces what is known of the function.
func (r *record) keep() { place(r.code).Store(r) }
