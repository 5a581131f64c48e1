package sweetspot

// smallWalk is the number of keys for which a walk has space from the start. To
// compare a key with them takes some nanoseconds, no more than to look up its hash.
const smallWalk = 8

// addFew puts k, whose hash is h, into the set of a small walk, which is looked at key
// by key, and reports whether it is new.
func (v *walk[K]) addFew(h uint64, k K) bool {
	for i := range v.known {
		if v.few[i] == k {
			return false
		}
	}
	if v.known == len(v.few) {
		v.outgrow()
		return v.small.add(h, k)
	}
	v.few[v.known] = k
	v.known++
	return true
}

// outgrow makes a set for more keys.
func (v *walk[K]) outgrow() {
	seed := v.seed
	v.small = &visited[K]{hint: v.set.size, hash: func(k K) uint64 { return hashOf(seed, k) }}
	v.small.use(make([]cell[K], 4*smallWalk))
	for _, k := range v.few[:v.known] {
		v.small.add(hashOf(v.seed, k), k)
	}
}
