package sweetspot

import (
	"hash/maphash"
	"math/bits"
)

// A visited is a set of keys that only grows. A map would do, but each of its
// insertions looks up twice; and it cannot be shared.
//
// It is extendible hashing (Fagin, Nievergelt, Pippenger and Strong, ACM TODS 4,
// 1979) in memory: a directory finds, by the upper bits of the hash, one of many
// small tables, each with open addressing (Knuth, TAOCP 6.4) by groups of places
// that are looked at together, by a byte of the hash each (the Swiss tables of
// Abseil; Kulukundis, CppCon 2017). A crowded table gives the half of its keys to a
// new one. So the set grows a little at a time, and leaves no table behind: memory
// that is touched for the first time costs more than what is done in it, most of all
// in a virtual machine. That is also why hashes are not kept: a walk over int64 keys
// took 1.7 times as long with them. The groups are in the order of the hashes, so that
// a table is divided from front to back.
type visited[K comparable] struct {
	hash   func(K) uint64
	dir    []*table[K] // by the bits of the hash below the skipped ones
	common []uint8     // upper bits of the hash that all keys of a table have in common (but for NaN, which never has the same twice); if less than skip and depth, several entries in a row are this table
	skip   uint8       // and that all keys here have in common
	depth  uint8       // log2(len(dir))
	tables int32
	n      int32     // keys in small
	hint   int       // keys expected, 0 once believed; see hintFrom
	from   *store[K] // of tables, for those who have a directory

	small []cell[K] // instead, of a set that needs no directory; a power of two

	beyond map[K]struct{} // keys of full tables that bits of the hash do not divide
}

// A cell is a place of a small set, or a key on its way into a set.
type cell[K comparable] struct {
	hash uint64 // in a set, 0 marks a free place
	key  K
}

const (
	// tableSize is the number of places in a table. Dividing it costs some
	// microseconds then, and the directory, which is looked at for each key,
	// remains in the caches.
	tableSize = 8 * groups
	groups    = 1 << groupBits
	groupBits = 6
	// far is how many groups from its own a new key must come to rest for its table
	// to be looked at. Up to three quarters it seldom happens. So tables need
	// not be counted.
	far = 2
	// crowd is the number of keys from which a table is divided.
	crowd = tableSize / 8 * 7
	// hintFrom is the number of places from which a set believes a hint: a larger
	// one made for nothing would cost more than what was before.
	hintFrom = 1 << 14
	// lopsided is by how many bits a table may be deeper than evenly spread
	// keys need. Beyond it hashes are no longer told apart by a few bits more.
	lopsided = 4

	lows  = 0x0101010101010101 // the lowest bit of each byte
	highs = lows << 7
)

// used marks a hash as not 0. Two hashes that differ in this bit only are told
// apart by their keys.
const used = 1

// hashOf returns the hash of k. It panics, as a map does, if k is an interface
// that holds a type that cannot be compared. Keys that differ from themselves,
// such as NaN, have another hash each time and are never found, as in a map.
func hashOf[K comparable](seed maphash.Seed, k K) uint64 {
	return maphash.Comparable(seed, k) | used
}

// add puts k, whose hash is h, into the set, and reports whether it is new.
func (v *visited[K]) add(h uint64, k K) bool {
	if v.dir == nil {
		return v.addSmall(h, k)
	}
	at := h << v.skip >> (64 - v.depth)
	t, g, tag := v.dir[at], groupOf(h, v.common[at]), tagOf(h)
	for i := range uint64(groups) {
		p := &t.tags[(g+i)%groups]
		// The bytes that are the tag, and perhaps some that are not, above the first.
		differ := *p ^ tag*lows
		for m := (differ - lows) &^ differ & highs; m != 0; m &= m - 1 {
			if t.keys[(g+i)%groups*8+uint64(bits.TrailingZeros64(m)/8)] == k {
				return false
			}
		}
		if free := ^*p & highs; free != 0 {
			j := bits.TrailingZeros64(free) / 8
			*p |= tag << (8 * j)
			t.keys[(g+i)%groups*8+uint64(j)] = k
			if i >= far {
				v.relieve(h)
			}
			return true
		}
	}
	if v.relieve(h) {
		return v.add(h, k)
	}
	_, known := v.beyond[k]
	if !known {
		if v.beyond == nil {
			v.beyond = map[K]struct{}{}
		}
		v.beyond[k] = struct{}{}
	}
	return !known
}

// relieve makes room where the hash h belongs, if it is crowded and that can be
// done, and reports whether it did.
func (v *visited[K]) relieve(h uint64) bool {
	at := int(h << v.skip >> (64 - v.depth))
	deepest := bits.Len(uint(v.tables)) + lopsided
	switch {
	case v.dir[at].len() < crowd:
		return false
	case v.hint > 0 && int(v.tables)*tableSize >= hintFrom:
		v.believe()
		return true
	case int(v.common[at]) >= min(int(v.skip)+deepest, 63):
		return false
	}
	v.divide(at)
	return true
}

// divide makes two tables of one.
func (v *visited[K]) divide(at int) {
	if v.common[at] == v.skip+v.depth {
		v.double()
		at *= 2
	}
	run := 1 << (v.skip + v.depth - v.common[at]) // entries that are this table
	from := at &^ (run - 1)
	old, common := v.dir[from], v.common[from]+1
	lower, upper := v.from.two()
	old.each(func(k K) {
		t, h := lower, v.hash(k)
		if h<<(common-1)>>63 != 0 {
			t = upper
		}
		t.put(h, k, common)
	})
	v.from.back(old)
	v.tables++
	for i := range run {
		v.common[from+i] = common
		v.dir[from+i] = lower
		if i >= run/2 {
			v.dir[from+i] = upper
		}
	}
	if len(v.beyond) > 0 { // there may be a place for them now
		keys := v.beyond
		v.beyond = nil
		for k := range keys {
			v.take(v.hash(k), k)
		}
	}
}

// len returns the number of keys.
func (v *visited[K]) len() int {
	n := len(v.beyond)
	if v.dir == nil {
		n += int(v.n)
	}
	for at := 0; at < len(v.dir); at += 1 << (v.skip + v.depth - v.common[at]) {
		n += v.dir[at].len()
	}
	return n
}

// double doubles the directory.
func (v *visited[K]) double() {
	dir, common := v.dir, v.common
	v.dir, v.common = make([]*table[K], 2*len(dir)), make([]uint8, 2*len(dir))
	for i := range v.dir {
		v.dir[i], v.common[i] = dir[i/2], common[i/2]
	}
	v.depth++
}

// believe makes room for as many keys as were foretold.
func (v *visited[K]) believe() {
	old := *v
	v.hint = 0
	if v.tables < 1<<depthFor(old.hint) {
		v.beyond = nil
		v.spread(old.hint)
		old.each(v.take)
	}
}

// spread makes a directory and tables for n keys.
func (v *visited[K]) spread(n int) {
	v.depth = uint8(depthFor(n))
	v.tables = 1 << v.depth
	n = 1 << v.depth
	v.dir, v.common = make([]*table[K], n), make([]uint8, n)
	if v.from == nil {
		v.from = new(store[K])
	}
	for i := range v.dir {
		v.dir[i], v.common[i] = v.from.next(n-i), v.skip+v.depth
	}
}

// depthFor returns the depth of a directory for n keys: with 0.7 of its places
// taken on average, a table is seldom crowded by chance.
func depthFor(n int) int {
	return bits.Len(uint(max(n-1, 0) / (tableSize * 7 / 10)))
}

// take takes in a key that is known to be new.
func (v *visited[K]) take(h uint64, k K) { v.add(h, k) }

// each calls f for each key with its hash.
func (v *visited[K]) each(f func(uint64, K)) {
	for i := range v.small {
		if c := &v.small[i]; c.hash != 0 {
			f(c.hash, c.key)
		}
	}
	hashed := func(k K) { f(v.hash(k), k) }
	for at := 0; at < len(v.dir); at += 1 << (v.skip + v.depth - v.common[at]) {
		v.dir[at].each(hashed)
	}
	for k := range v.beyond {
		hashed(k)
	}
}

// use makes cells, whose number is a power of two, the places of a small set.
func (v *visited[K]) use(cells []cell[K]) { v.small, v.n = cells, 0 }

// addSmall is add of a small set.
func (v *visited[K]) addSmall(h uint64, k K) bool {
	cells := v.small
	mask := uint64(len(cells) - 1)
	for i := h << v.skip >> (64 - bits.TrailingZeros(uint(len(cells)))) & mask; ; i = (i + 1) & mask {
		c := &cells[i]
		if c.hash == 0 {
			c.hash, c.key = h, k
			if v.n++; int(v.n) >= len(cells)/8*7 {
				v.enlarge()
			}
			return true
		}
		if c.hash == h && c.key == k {
			return false
		}
	}
}

// enlarge makes room for more keys in a small set.
func (v *visited[K]) enlarge() {
	old := v.small
	if size := 4 * len(old); size < tableSize {
		v.use(make([]cell[K], size))
	} else {
		v.small = nil
		v.spread(0)
	}
	for i := range old {
		if c := &old[i]; c.hash != 0 {
			v.take(c.hash, c.key)
		}
	}
}
