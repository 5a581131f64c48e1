package keyset

import "math/bits"

// An index is a set of keys by their hashes, whose first bits may be the same: in cells
// while it is small, and then by extendible hashing. A directory finds, by the next
// bits of the hash, one of many tables. Several entries in a row may be the same table.
type index[K comparable] struct {
	hash func(K) uint64
	dir  []*table[K] // nil while the keys are in cells
	// prefix says for the table of each entry how many upper bits of the hash its
	// keys have in common, but for NaN, which never has the same hash twice.
	prefix []uint8
	skip   uint8 // how many of these bits all keys of the index have in common
	depth  uint8 // log2(len(dir))
	tables int32
	hint   int           // keys expected, 0 once there is room for them; see hintFrom and trust
	alloc  *allocator[K] // of the tables, once there are any

	cells    cells[K]
	overflow map[K]struct{} // keys of full tables that further bits of the hash do not divide
}

const (
	// firstPlaces is the number of cells of a new index.
	firstPlaces = 32
	// probesFew is how many groups a new key may probe before its table is looked
	// at. Up to a load of three quarters few keys need more. So nobody has to count
	// the keys of a table.
	probesFew = 2
	// maxLoad is the number of keys from which a table is split.
	maxLoad = tableSize / 8 * 7
	// hintFrom is the number of places from which a set follows a hint: a larger
	// one that was wrong would cost more than all that was done before. A shard does
	// so when all of them have as many.
	hintFrom = 1 << 14
	// trust is for how many times the keys that there are a hint makes room at once. It
	// is followed further when these places are taken, so one that is far too large
	// costs memory in proportion to the keys.
	trust = 64
	// maxSkew is by how many bits the prefix of a table may be longer than evenly
	// spread keys need. Hashes that are the same so far do not become different by a
	// few bits more.
	maxSkew = 4
)

func newIndex[K comparable](hint int, hash func(K) uint64) *index[K] {
	return &index[K]{hint: hint, hash: hash, cells: newCells[K](firstPlaces)}
}

// add adds k, whose hash is h, and reports whether it is new.
func (x *index[K]) add(h uint64, k K) bool {
	if x.dir == nil {
		return x.addCell(h, k)
	}
	at := h << x.skip >> (64 - x.depth)
	t := x.dir[at]
	g, tag := t.group(h, x.prefix[at]), t.tag(h)
	for i := range uint64(groups) {
		p := &t.tags[(g+i)%groups]
		// The bytes that equal the tag, and perhaps some above the first that do not.
		differ := *p ^ tag*lowBits
		for m := (differ - lowBits) &^ differ & highBits; m != 0; m &= m - 1 {
			if t.keys[(g+i)%groups*8+uint64(bits.TrailingZeros64(m)/8)] == k {
				return false
			}
		}
		if free := ^*p & highBits; free != 0 {
			j := bits.TrailingZeros64(free) / 8
			*p |= tag << (8 * j)
			t.keys[(g+i)%groups*8+uint64(j)] = k
			if i >= probesFew {
				x.makeRoom(h)
			}
			return true
		}
	}
	if x.makeRoom(h) {
		return x.add(h, k)
	}
	_, known := x.overflow[k]
	if !known {
		if x.overflow == nil {
			x.overflow = map[K]struct{}{}
		}
		x.overflow[k] = struct{}{}
	}
	return !known
}

// addCell is add while the keys are in cells.
func (x *index[K]) addCell(h uint64, k K) bool {
	places := x.cells.places
	mask := uint64(len(places) - 1)
	for i := h << x.skip >> (64 - bits.TrailingZeros(uint(len(places)))) & mask; ; i = (i + 1) & mask {
		p := &places[i]
		if p.hash == 0 {
			p.hash, p.key = h, k
			if x.cells.n++; int(x.cells.n) >= len(places)/8*7 {
				x.growCells()
			}
			return true
		}
		if p.hash == h && p.key == k {
			return false
		}
	}
}

// insert adds a key that is known to be new.
func (x *index[K]) insert(h uint64, k K) { x.add(h, k) }

// growCells makes room for more keys while they are in cells.
func (x *index[K]) growCells() {
	old := x.cells
	if places := 4 * len(old.places); places < tableSize {
		x.cells = newCells[K](places)
	} else {
		x.cells = cells[K]{}
		x.makeTables(0)
	}
	old.each(x.insert)
}

func (x *index[K]) makeTables(n int) {
	x.depth = uint8(depthFor(n))
	x.tables = 1 << x.depth
	n = 1 << x.depth
	x.dir, x.prefix = make([]*table[K], n), make([]uint8, n)
	if x.alloc == nil {
		x.alloc = new(allocator[K])
	}
	for i := range x.dir {
		x.dir[i], x.prefix[i] = x.alloc.next(n-i), x.skip+x.depth
	}
}

// depthFor returns the depth of a directory for n keys: with 0.7 of its places taken on
// average, few tables are crowded by chance.
func depthFor(n int) int {
	return bits.Len(uint(max(n-1, 0) / (tableSize * 7 / 10)))
}

// makeRoom makes room in the table of the hash h, if it is crowded and that can be
// done, and reports whether it did.
func (x *index[K]) makeRoom(h uint64) bool {
	at := int(h << x.skip >> (64 - x.depth))
	deepest := bits.Len(uint(x.tables)) + maxSkew
	switch {
	case x.dir[at].len() < maxLoad:
		return false
	case x.hint > 0 && int(x.tables)*tableSize<<x.skip >= hintFrom && x.followHint():
		return true
	case int(x.prefix[at]) >= min(int(x.skip)+deepest, 63):
		return false
	}
	x.split(at)
	return true
}

// followHint makes room for keys that are expected, as far as the hint is to be trusted,
// and reports whether it did.
func (x *index[K]) followHint() bool {
	n := trusted(x.hint, x.len())
	if n == x.hint || x.tables >= 1<<depthFor(n) {
		x.hint = 0
	}
	if x.tables >= 1<<depthFor(n) {
		return false
	}
	old := *x
	x.overflow = nil
	x.makeTables(n)
	old.each(x.insert)
	return true
}

// trusted returns for how many keys a hint makes room if there are n.
func trusted(hint, n int) int {
	if hint/trust < n {
		return hint
	}
	return n * trust
}

// split makes two tables of one.
func (x *index[K]) split(at int) {
	if x.prefix[at] == x.skip+x.depth {
		x.doubleDir()
		at *= 2
	}
	run := 1 << (x.skip + x.depth - x.prefix[at]) // entries that are this table
	from := at &^ (run - 1)
	old, prefix := x.dir[from], x.prefix[from]+1
	lower, upper := x.alloc.two()
	old.each(func(k K) {
		t, h := lower, x.hash(k)
		if h<<(prefix-1)>>63 != 0 {
			t = upper
		}
		t.insert(h, k, prefix)
	})
	x.alloc.back(old)
	x.tables++
	for i := range run {
		x.prefix[from+i] = prefix
		x.dir[from+i] = lower
		if i >= run/2 {
			x.dir[from+i] = upper
		}
	}
	if len(x.overflow) > 0 { // there may be places for them now
		keys := x.overflow
		x.overflow = nil
		for k := range keys {
			x.insert(x.hash(k), k)
		}
	}
}

func (x *index[K]) doubleDir() {
	dir, prefix := x.dir, x.prefix
	x.dir, x.prefix = make([]*table[K], 2*len(dir)), make([]uint8, 2*len(dir))
	for i := range x.dir {
		x.dir[i], x.prefix[i] = dir[i/2], prefix[i/2]
	}
	x.depth++
}

func (x *index[K]) len() int {
	n := int(x.cells.n) + len(x.overflow)
	for at := 0; at < len(x.dir); at += 1 << (x.skip + x.depth - x.prefix[at]) {
		n += x.dir[at].len()
	}
	return n
}

func (x *index[K]) each(f func(uint64, K)) {
	x.cells.each(f)
	hashed := func(k K) { f(x.hash(k), k) }
	for at := 0; at < len(x.dir); at += 1 << (x.skip + x.depth - x.prefix[at]) {
		x.dir[at].each(hashed)
	}
	for k := range x.overflow {
		hashed(k)
	}
}
