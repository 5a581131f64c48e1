package sweetspot

import "time"

// A pace measures what items cost and says how many make a chunk.
type pace struct {
	cost float64 // of an item, ns; 0 while unknown
	size int     // of the newest chunk asked for
}

const (
	// chunkTime is how long a chunk should take. Its edge costs some 0.1 µs, far
	// below 1 %; at the end of a call a worker waits for another at most that
	// long. The testing package chose 0.1 ms for the same purpose (RunParallel).
	chunkTime = 64 * time.Microsecond
	// chunkMost bounds what one chunk can hold up when its items turn out to
	// be far slower than those before. Empty items fill 8 to 32 µs by it, of
	// which the edge is 1 %.
	chunkMost = 8192
	// chunkWidest is that for callbacks that take whole ranges, whose loop may
	// take less than a nanosecond for each number.
	chunkWidest = 1 << 20
	// chunkGrowth is how fast chunks grow while each is too short to tell what
	// an item costs: four of them lead from 1 item to chunkMost. Each has an edge
	// whose code is cold.
	chunkGrowth = 32
)

// see takes the time of a chunk of n items.
func (p *pace) see(n int, took time.Duration) {
	cost := max(float64(took), 1) / float64(n)
	if p.cost == 0 || took < chunkTime/8 {
		// Short chunks are mostly the clock and cold caches: the newest, which
		// is the longest, is right.
		p.cost = cost
		return
	}
	p.cost += (cost - p.cost) / 2
}

// next returns the number of items of the next chunk, at most most.
func (p *pace) next(most int) int {
	n := 1
	if p.cost > 0 {
		n = int(min(float64(chunkTime)/p.cost, float64(most)))
		n = max(1, min(n, p.size*chunkGrowth))
	}
	p.size = n
	return n
}
