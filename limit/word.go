package limit

// The state that the fast paths need is one 64-bit word, so that every step is
// one atomic operation on all of it:
//
//	bit 63      full        the count of completed units needs folding
//	bits 33-62  completed   units completed since the last fold
//	bit 32      waiters     the queue is not empty
//	bits 24-31  generation  counts the changes of the limit, wrapping
//	bits 0-23   available   limit - in flight, plus bias: negative after the limit was lowered
//
// The word holds what is available and not what is in flight: an Acquire whose
// compare-and-swap succeeds has taken a permit that exists at this moment,
// whatever happened to the limit since it looked.
//
// The limit itself is kept in a second word, the ceiling, which is the low half
// of the word as it looks when nothing is in flight and nobody waits. Thus
//
//	ceiling - word&attention
//
// is the number of units in flight, or, as an unsigned number, more than
// MaxLimit as soon as there is anything that a Release must look into: a
// waiter, a count to fold, more permits than the limit, or a ceiling that was
// read before a change of the limit and therefore proves nothing. One
// comparison finds them all.
const (
	availableBits  = 24
	generationBits = 8

	availableMask  = 1<<availableBits - 1
	generationUnit = 1 << availableBits
	generationMask = (1<<generationBits - 1) * generationUnit
	waitersBit     = 1 << (availableBits + generationBits)
	completedShift = availableBits + generationBits + 1
	completedUnit  = 1 << completedShift
	fullBit        = 1 << 63

	// bias is the middle of the field: room for MaxLimit permits on both
	// sides, and for as many mistaken releases before they are undone.
	bias = 1 << (availableBits - 1)

	// foldUnit is what fullBit is worth. A goroutine that sees the bit folds
	// it before it returns from Release or Renew, so the count could only overflow if
	// as many goroutines were inside Release at once.
	foldUnit = 1 << (63 - completedShift)

	attention = availableMask | generationMask | waitersBit | fullBit
)

// finished is what a Release adds: one permit, one completed unit.
const finished = completedUnit + 1

// available returns the permits that can be had: limit - in flight.
func available(w uint64) int { return int(w&availableMask) - bias }

// newCeiling returns the ceiling of the limit n, of the generation that follows
// that of the ceiling old.
func newCeiling(n int, old uint64) uint64 {
	return (old+generationUnit)&generationMask | uint64(n+bias)
}

// limitOf returns the limit that the ceiling c stands for.
func limitOf(c uint64) int { return int(c&availableMask) - bias }
