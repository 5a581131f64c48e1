package shardpad

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Padded; behind pointers; so large that few share a line; a single one.
type padded struct {
	mu sync.Mutex
	m  map[string]int
	_  [48]byte
}

type large struct {
	mu   sync.Mutex
	keys [100]int
}

var (
	lines    [64]padded
	pointers [64]*shard
	whole    [64]large
	single   [1]shard
)

func locks(h uint) {
	lines[h%64].mu.Lock()
	pointers[h%64].mu.Lock()
	whole[h%64].mu.Lock()
	single[h%1].mu.Lock()
}

// A list, not a table: by position.
type list struct{ items []shard }

func (l *list) lock() {
	for i := range l.items {
		l.items[i].mu.Lock()
	}
}

// No lock in the elements, though one behind a pointer, and one that locks inside.
type entry struct {
	mu   *sync.Mutex
	once sync.Once
}

var entries [64]entry

func enter(h uint) { entries[h%64].mu.Lock() }

// The size depends on a type parameter.
type sized[T any] struct {
	parts [8]struct {
		mu sync.Mutex
		v  T
	}
}

func (s *sized[T]) lock(h uint) { s.parts[h%8].mu.Lock() }

// Literals without names of fields: the finding has no fix.
type pair struct {
	mu sync.Mutex
	n  int
}

var pairs = []pair{{sync.Mutex{}, 1}, {n: 2}} // want `shardpad/quiet: the elements of pairs`

func lockPair(h uint) { pairs[h%2].mu.Lock() }

// So have types that are derived from it, and so do conversions of these.
type (
	origin struct {
		mu sync.Mutex
		n  int
	}
	derived origin

	original struct {
		mu sync.Mutex
		n  int
	}
	copied  original
	similar struct {
		mu sync.Mutex
		n  int
	}
)

var (
	origins   [32]origin   // want `shardpad/quiet: the elements of origins`
	originals [32]original // want `shardpad/quiet: the elements of originals`
)

func lockOrigins(h uint, c *copied) (*derived, *similar) {
	origins[h%32].mu.Lock()
	originals[h%32].mu.Lock()
	return &derived{sync.Mutex{}, 1}, (*similar)(c)
}

// A type without a name has the same fields, and values of either are assigned to the other.
type (
	assigned struct {
		mu          sync.Mutex
		left, right int
	}
	compared struct {
		mu    atomic.Int32
		lock  sync.Mutex
		state byte
	}
	comparedWith = struct {
		mu    atomic.Int32
		lock  sync.Mutex
		state byte
	}
)

var (
	assigns  [32]assigned // want `shardpad/quiet: the elements of assigns`
	compares [32]compared // want `shardpad/quiet: the elements of compares`
)

func lockAssigned(h uint, to comparedWith) bool {
	assigns[h%32].mu.Lock()
	assigns[h%32] = struct {
		mu          sync.Mutex
		left, right int
	}{left: 1}
	compares[h%32].lock.Lock()
	return compares[h%32] == to
}

// The size is part of another one, or of where a field begins.
type (
	inArray  struct{ mu sync.Mutex }
	inStruct struct{ mu sync.Mutex }
	before   struct{ mu sync.Mutex }

	around struct {
		first inStruct
		of    *around
	}
	after struct {
		first before
		next  int
	}
)

var (
	inArrays  [32]inArray  // want `shardpad/quiet: the elements of inArrays`
	inStructs [32]inStruct // want `shardpad/quiet: the elements of inStructs`
	befores   [32]before   // want `shardpad/quiet: the elements of befores`

	_ [1 - unsafe.Sizeof(inArrays)/256]byte
	_ [1 - unsafe.Sizeof([2]around{})/32]byte
	_ [8 - unsafe.Offsetof(after{}.next)]byte
)

func lockParts(h uint) {
	inArrays[h%32].mu.Lock()
	inStructs[h%32].mu.Lock()
	befores[h%32].mu.Lock()
}

// Other packages may have literals without names of fields.
type Open struct {
	sync.Mutex
	N int
}

var opens [32]Open // want `shardpad/quiet: the elements of opens`

func lockOpen(h uint) { opens[h%32].Lock() }

// A line of padding between what is used of each, though the size is not a multiple of it.
type spaced struct {
	mu sync.Mutex
	m  map[string]int
	n  [5]int
	_  [64]byte
}

var spacedOnes [8]spaced

func lockSpaced(h uint) { spacedOnes[h%8].mu.Lock() }

// What is told where it is declared, and a table from elsewhere.
func copies(h int, t *table, others []shard, of func() []shard) {
	buckets := t.buckets
	buckets[h%len(buckets)].guard.Lock()
	others[h%len(others)].mu.Lock()
	these := of()
	these[h%len(these)].mu.Lock()
}
