package call

import "time"

// A Sizer measures what items cost and says how many make a chunk.
type Sizer struct {
	Cost float64 // of an item, ns; 0 while unknown
	Size int     // of the newest chunk asked for
	// prior is what an item cost in earlier calls, ns. While chunks are too short to tell, an
	// item is taken to cost that much, and a quarter of it after each chunk: where items of
	// 40 µs follow a tiny one, 32 of them would be claimed at once, 1 ms that nobody can steal.
	prior float64
}

const (
	// WakeCost is what a helper must save to pay: some 0.1 ms pass until a parked
	// thread runs on a virtual machine, and waking it costs the waker some
	// microseconds.
	WakeCost = 100 * time.Microsecond
	// Sure is how long a call must have worked before it believes that there is
	// much to do: a first item may be slow because it is the first.
	Sure = 20 * time.Microsecond
	// Yields is how often a worker without work yields before it gives up, some
	// microseconds in all: waking it would take as long, and the one that brings more
	// would pay.
	Yields = 16
	// FirstLook is when a call whose first chunk has not ended gets help: an item
	// that long pays for it many times over.
	FirstLook = 2 * WakeCost
)

const (
	// ChunkTime is how long a chunk should take. Its boundary costs some 0.1 µs, far
	// below 1 %; at the end of a call a worker waits for another at most that
	// long. The testing package chose 0.1 ms for the same purpose (RunParallel).
	ChunkTime = 64 * time.Microsecond
	// ChunkMost bounds what one chunk can hold up when its items turn out to
	// be far slower than those before. Empty items fill 8 to 32 µs by it, of
	// which the boundary is 1 %.
	ChunkMost = 8192
	// BatchMost bounds a chunk of items that are copied.
	BatchMost = 1024
	// chunkGrowth is how fast chunks grow while each is too short to tell what
	// an item costs: four of them lead from 1 item to ChunkMost. Each has a boundary
	// whose code is cold.
	chunkGrowth = 32
)

// See takes the time of a chunk of n items.
func (s *Sizer) See(n int, took time.Duration) {
	cost := max(float64(took), 1) / float64(n)
	if s.Cost == 0 || took < ChunkTime/8 {
		// Short chunks are mostly the clock and cold caches: the newest, which
		// is the longest, is right.
		s.Cost = cost
		return
	}
	s.Cost += (cost - s.Cost) / 2
	s.prior = 0
}

// Next returns the number of items of the next chunk, at most most.
func (s *Sizer) Next(most int) int {
	n := 1
	if s.Cost > 0 {
		n = int(min(float64(ChunkTime)/max(s.Cost, s.prior), float64(most)))
		n = max(1, min(n, s.Size*chunkGrowth))
		s.prior /= 4
	}
	s.Size = n
	return n
}
