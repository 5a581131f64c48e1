// Package shardpad has tables of locks.
package shardpad

import (
	"hash/fnv"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A package variable and a remainder.
type shard struct {
	mu sync.Mutex
	m  map[string]int
}

var shards [64]shard // want `shardpad/quiet: the elements of shards, each with a Mutex, are 16 bytes large, so that several share a cache line`

func add(key string) {
	h := fnv.New32a()
	h.Write([]byte(key))
	s := &shards[h.Sum32()%uint32(len(shards))]
	s.mu.Lock()
	s.m[key]++
	s.mu.Unlock()
}

// A field, and bits of a hash in a variable; the lock is in a struct of the element.
type guarded struct{ sync.RWMutex }

type table struct {
	buckets []bucket // want `shardpad/quiet: the elements of buckets, each with an RWMutex, are 40 bytes large`
}

type bucket struct {
	guard guarded
	first *int
	count int
}

func (t *table) get(hash uint64) *bucket {
	i := hash & uint64(len(t.buckets)-1)
	return &t.buckets[i]
}

// A type with a name, and a function whose name tells, or whose result.
type striped [16]sync.Mutex // want `shardpad/quiet: the elements of striped, each with a Mutex, are 8 bytes large`

func (s *striped) lock(key int) { s[stripeOf(key)].Lock() }

func stripeOf(key int) int { return key }

type sets [8]set // want `shardpad/quiet: the elements of sets, each with a Mutex, are 72 bytes large`

type set struct {
	mu   sync.Mutex
	keys [8]int
}

func (s *sets) of(key uint32) *set { return &s[where(key)] }

func where(key uint32) uint32 { return key >> 29 }

// Of a type with parameters, whose size is known.
type cache[K comparable] struct {
	parts []part[K] // want `shardpad/quiet: the elements of parts, each with a Mutex, are 16 bytes large`
}

type part[K comparable] struct {
	mu sync.Mutex
	m  map[K]int
}

func (c *cache[K]) part(hash int) *part[K] { return &c.parts[hash%len(c.parts)] }

// Atomics alone.
var counters [32]counter // want `shardpad/hot: the elements of counters, each with an atomic.Int64, are 8 bytes large`

type counter struct{ n atomic.Int64 }

func count(id int) { counters[id%32].n.Add(1) }

// The lock is held while a file is written.
type writer struct {
	files []file // want `shardpad/hot: the elements of files`
}

type file struct {
	mu sync.Mutex
	f  *os.File
}

func (w *writer) write(hash int, b []byte) error {
	f := &w.files[hash%len(w.files)]
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.f.Write(b)
	return err
}

// The lock is given back before that.
var names [16]name // want `shardpad/quiet: the elements of names`

type name struct {
	mu sync.Mutex
	of map[uint]string
}

func open(h uint) (*os.File, error) {
	n := &names[h%16]
	n.mu.Lock()
	s := n.of[h]
	n.mu.Unlock()
	return os.Open(s)
}

// A local variable.
func local(keys []uint) {
	locks := make([]sync.Mutex, 64) // want `shardpad/quiet: the elements of locks`
	for _, k := range keys {
		go func() {
			locks[k%64].Lock()
			defer locks[k%64].Unlock()
		}()
	}
}

// Nothing but locks, a function of the caller's under one of them.
type keys struct {
	locks [256]sync.Mutex // want `shardpad/quiet: the elements of locks, each with a Mutex, are 8 bytes large`
	parts [256]map[string]int
}

func (k *keys) set(key string, hash uint64) {
	id := hash & 255
	k.locks[id].Lock()
	k.parts[id][key]++
	k.locks[id].Unlock()
}

func (k *keys) view(key string, hash uint64, view func(int) error) error {
	id := hash & 255
	k.locks[id].Lock()
	defer k.locks[id].Unlock()
	return view(k.parts[id][key])
}

// Nothing depends on the size: a type derived from the element gets the field, too, a
// pointer is no larger, and other packages name the fields, as they cannot name all.
type Half struct {
	sync.Mutex
	n int
}

type otherHalf Half

var halves [32]Half // want `shardpad/quiet: the elements of halves`

func half(h uint) (*otherHalf, uintptr) {
	halves[h%32].Lock()
	return (*otherHalf)(&halves[h%32]), unsafe.Sizeof(&halves[0])
}

// A field more, and what depends on the fields does not compile: told, and not fixed.
type (
	twin struct {
		mu sync.Mutex
		m  map[string]int
	}
	converted struct {
		mu sync.Mutex
		m  map[string]int
	}
	measured struct {
		mu sync.Mutex
		m  map[string]int
	}
)

var (
	twins    [32]converted // want `shardpad/quiet: the elements of twins`
	measures [32]measured  // want `shardpad/quiet: the elements of measures`

	_ [64 - unsafe.Sizeof(measured{})]byte
)

func inTwin(hash uint) int {
	c := &twins[hash%32]
	c.mu.Lock()
	defer c.mu.Unlock()
	return (*twin)(c).m["a"]
}

func inMeasure(hash uint) int {
	c := &measures[hash%32]
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m["a"]
}

// Who calls the methods that lock holds them while it reads files.
type lockSet struct {
	locks []sync.Mutex // want `shardpad/hot: `
}

func (s *lockSet) Lock(key uint32)   { s.locks[key%64].Lock() }
func (s *lockSet) Unlock(key uint32) { s.locks[key%64].Unlock() }

func (s *lockSet) read(key uint32, name string) ([]byte, error) {
	s.Lock(key)
	defer s.Unlock(key)
	return os.ReadFile(name)
}

// At the end of a struct what has no size takes some bytes, and none before a pad.
type closed struct {
	mu sync.Mutex
	m  map[string]int
	_  [0]func()
}

var closes [32]closed // want `shardpad/quiet: the elements of closes, each with a Mutex, are 24 bytes large`

func inClosed(hash uint) int {
	c := &closes[hash%32]
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m["a"]
}
