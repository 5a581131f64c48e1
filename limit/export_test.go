package limit

import "unsafe"

// Line is the distance kept between fields that must not share a cache line.
const Line = line

// The places of the fields of a Semaphore.
const (
	CeilingOffset = unsafe.Offsetof(Semaphore{}.ceiling)
	WordOffset    = unsafe.Offsetof(Semaphore{}.word)
	MutexOffset   = unsafe.Offsetof(Semaphore{}.mu)
	Size          = unsafe.Sizeof(Semaphore{})
)

// FoldUnit is the number of completed units after which the word is folded.
const FoldUnit = foldUnit

// SkipCompleted counts n units as completed, n < FoldUnit, as if that many
// Acquire and Release pairs had gone by without reaching the fold.
func (s *Semaphore) SkipCompleted(n uint64) { s.word.Add(n * completedUnit) }

// Generation returns the generation of the limit, which counts its changes.
func (s *Semaphore) Generation() int {
	return int(s.ceiling.Load() & generationMask / generationUnit)
}

// Freeze holds up everybody in the slow path until the returned function is
// called.
func (s *Semaphore) Freeze() (thaw func()) {
	s.mu.Lock()
	return s.mu.Unlock
}

// Available returns the free permits according to the word.
func (s *Semaphore) Available() int { return available(s.word.Load()) }
