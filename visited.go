package sweetspot

import (
	"hash/maphash"
	"math/bits"
)

// A visited is a set of keys that only grows. A map would do, but each of its
// insertions looks up twice, and hashes others again when it grows; and it cannot
// be shared.
//
// It is extendible hashing (Fagin, Nievergelt, Pippenger and Strong, ACM TODS 4,
// 1979) in memory: a directory finds, by the upper bits of the hash, one of many
// small tables, each with open addressing and linear probing (Knuth, TAOCP 6.4).
// A crowded table gives the half of its keys to a new one. So the set grows a
// little at a time, and leaves no table behind: memory that is touched for the
// first time costs more than what is done in it, most of all in a virtual machine.
// The hash is kept beside the key, so that most comparisons, and growing, need no
// look at the key. The places of a table are in the order of the hashes, so that it
// is divided from front to back.
type visited[K comparable] struct {
	dir    []*table[K] // by the bits of the hash below the skipped ones
	common []uint8     // upper bits of the hash that all keys of a table have in common; if less than skip and depth, several entries in a row are this table
	skip   uint8       // and that all keys here have in common
	depth  uint8       // log2(len(dir))
	tables int
	hint   int       // keys expected, 0 once believed; see hintFrom
	from   *store[K] // of tables, for those who have a directory

	small []cell[K] // instead, of a set that needs no directory; a power of two
	n     int       // keys in it

	beyond map[K]uint64 // with their hashes, keys of full tables that bits of the hash do not divide
}

type table[K comparable] [tableSize]cell[K]

type cell[K comparable] struct {
	hash uint64 // 0 marks a free place
	key  K
}

const (
	// tableSize is the number of places in a table. Dividing it costs some
	// microseconds then, and the directory, which is looked at for each key,
	// remains in the caches.
	tableSize = 1 << tableBits
	tableBits = 9
	// far is how far from its place a new key must come to rest for its table
	// to be looked at. Up to three quarters it seldom happens. So tables need
	// not be counted.
	far = 32
	// crowd is the number of keys from which a table is divided.
	crowd = tableSize / 4 * 3
	// hintFrom is the number of places from which a set believes a hint: a larger
	// one made for nothing would cost more than what was before.
	hintFrom = 1 << 14
	// lopsided is by how many bits a table may be deeper than evenly spread
	// keys need. Beyond it hashes are no longer told apart by a few bits more.
	lopsided = 4
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
	t, home := v.dir[at], homeOf(h, v.common[at])
	for i := range uint64(tableSize) {
		c := &t[(home+i)%tableSize]
		if c.hash == 0 {
			c.hash, c.key = h, k
			if i >= far {
				v.relieve(h)
			}
			return true
		}
		if c.hash == h && c.key == k {
			return false
		}
	}
	if v.relieve(h) {
		return v.add(h, k)
	}
	_, known := v.beyond[k]
	if !known {
		if v.beyond == nil {
			v.beyond = map[K]uint64{}
		}
		v.beyond[k] = h
	}
	return !known
}

// homeOf returns the place for a hash in a table whose keys have that many bits in
// common.
func homeOf(h uint64, common uint8) uint64 { return h << common >> (64 - tableBits) }

// put takes in a key that is known to be new, and for which there is a place.
func (t *table[K]) put(c *cell[K], common uint8) {
	i := homeOf(c.hash, common)
	for t[i%tableSize].hash != 0 {
		i++
	}
	t[i%tableSize] = *c
}

// relieve makes room where the hash h belongs, if it is crowded and that can be
// done, and reports whether it did.
func (v *visited[K]) relieve(h uint64) bool {
	at := int(h << v.skip >> (64 - v.depth))
	t, n := v.dir[at], 0
	for i := range t {
		if t[i].hash != 0 {
			n++
		}
	}
	deepest := bits.Len(uint(v.tables)) + lopsided
	switch {
	case n < crowd:
		return false
	case v.hint > 0 && v.tables*tableSize >= hintFrom:
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
	for i := range old {
		c := &old[i]
		switch {
		case c.hash == 0:
		case c.hash<<(common-1)>>63 == 0:
			lower.put(c, common)
		default:
			upper.put(c, common)
		}
	}
	v.from.back(old)
	v.tables++
	for i := range run {
		v.common[from+i] = common
		v.dir[from+i] = lower
		if i >= run/2 {
			v.dir[from+i] = upper
		}
	}
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
		v.spread(old.hint)
		old.each(v.take)
	}
}

// spread makes a directory and tables for n keys.
func (v *visited[K]) spread(n int) {
	v.depth = uint8(depthFor(n))
	v.tables = 1 << v.depth
	v.dir, v.common = make([]*table[K], v.tables), make([]uint8, v.tables)
	tables := make([]table[K], v.tables)
	if v.from == nil {
		v.from = new(store[K])
	}
	for i := range tables {
		v.dir[i], v.common[i] = &tables[i], v.skip+v.depth
	}
}

// depthFor returns the depth of a directory for n keys: with 0.7 of its places
// taken on average, a table is seldom crowded by chance.
func depthFor(n int) int {
	return bits.Len(uint(max(n-1, 0) / (tableSize * 7 / 10)))
}

// take takes in a key that is known to be new.
func (v *visited[K]) take(c *cell[K]) { v.add(c.hash, c.key) }

// each calls f for each key.
func (v *visited[K]) each(f func(*cell[K])) {
	each := func(cells []cell[K]) {
		for i := range cells {
			if c := &cells[i]; c.hash != 0 {
				f(c)
			}
		}
	}
	each(v.small)
	for at := 0; at < len(v.dir); at += 1 << (v.skip + v.depth - v.common[at]) {
		each(v.dir[at][:])
	}
	for k, h := range v.beyond {
		f(&cell[K]{h, k})
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
			if v.n++; v.n >= len(cells)/8*7 {
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
			v.take(c)
		}
	}
}
