package keyset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/keyset"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// TestSetIsASet: beside a map, through growth and sharing.
func TestSetIsASet(t *testing.T) {
	rerun.Skip(t)
	keys := make([]string, 30_000)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	for _, hint := range []int{0, 1, 1000, 200_000} {
		for _, shareAt := range []int{0, 1, 500, 10_000, 50_000, 1 << 30} {
			t.Run(fmt.Sprint(hint, shareAt), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				v := keyset.NewProbe[string](hint, nil)
				seen, n := make([]bool, len(keys)), 0
				for i := range 60_000 {
					if i == shareAt {
						v.Share()
					}
					k := r.IntN(len(keys))
					if isNew := v.Add(keys[k]); isNew == seen[k] {
						t.Fatalf("step %d: %d is new: %v", i, k, isNew)
					}
					if !seen[k] {
						seen[k] = true
						n++
					}
				}
				got, places := v.Len()
				if got != n {
					t.Errorf("%d keys, want %d", got, n)
				}
				// Tables are split at seven eighths, and cells grow fourfold; a hint
				// counts as if the keys were there.
				if most := 6 * max(hint, n); places > most {
					t.Errorf("%d places for %d keys", places, n)
				}
			})
		}
	}
}

// TestCollisions: keys with the same hash, or with hashes that
// share an end of the table, differ all the same.
func TestCollisions(t *testing.T) {
	for name, hash := range map[string]func(i int) uint64{
		"all equal":  func(int) uint64 { return 12345 },
		"the last":   func(int) uint64 { return 1<<64 - 1 },
		"upper bits": func(i int) uint64 { return ^uint64(i) >> 60 << 60 },
		"lower bits": func(i int) uint64 { return uint64(i) },
	} {
		t.Run(name, func(t *testing.T) {
			v := keyset.NewProbe(0, hash)
			for i := range 1000 {
				if i == 300 {
					v.Share()
				}
				if !v.Add(i) {
					t.Fatalf("key %d is not new", i)
				}
			}
			for i := range 1000 {
				if v.Add(i) {
					t.Fatalf("key %d was lost", i)
				}
			}
		})
	}
}

// TestOverflow: keys for which a table had no place are known also when it is split
// later, because many other keys have come.
func TestOverflow(t *testing.T) {
	const same, others = 600, 100_000
	r := rand.New(rand.NewPCG(3, 4))
	hashes := make([]uint64, same+others)
	for i := range hashes {
		if hashes[i] = r.Uint64(); i < same {
			hashes[i] = uint64(i&1)<<53 | r.Uint64()>>57<<1 // only the eleventh bit divides them, which most tables do not look at
		}
	}
	for _, share := range []bool{false, true} {
		v := keyset.NewProbe(0, func(i int) uint64 { return hashes[i] })
		for i := range hashes {
			if i == same && share {
				v.Share()
			}
			if !v.Add(i) {
				t.Fatalf("key %d is not new", i)
			}
			if i >= same && i%1000 != 0 {
				continue
			}
			for k := range min(i+1, same) {
				if v.Add(k) {
					t.Fatalf("shared %v: with %d keys, key %d was lost", share, i+1, k)
				}
			}
		}
	}
}

// TestSharedByGoroutines: each key is new to one of the goroutines that add it.
func TestSharedByGoroutines(t *testing.T) {
	v := keyset.NewProbe[int](0, nil)
	v.Share()
	isNew := make([]atomic.Int32, 20_000)
	var wg sync.WaitGroup
	var start atomic.Int32
	for range 4 {
		wg.Go(func() {
			for start.Add(1); start.Load() < 4; runtime.Gosched() {
			}
			for i := range isNew {
				if v.Add(i) {
					isNew[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	for k := range isNew {
		if n := isNew[k].Load(); n != 1 {
			t.Fatalf("key %d was new %d times", k, n)
		}
	}
}

// TestShardsShareNoCacheLine: no two are in the 128 bytes that the hardware fetches together.
func TestShardsShareNoCacheLine(t *testing.T) {
	if n := keyset.ShardSize; strconv.IntSize == 64 && n%128 != 0 {
		t.Errorf("a shard has %d bytes, want a multiple of 128", n)
	}
}

// TestPlaceIsKeyAndByte: what a large set costs is memory.
func TestPlaceIsKeyAndByte(t *testing.T) {
	if n := keyset.PlaceSize; n != 9 {
		t.Errorf("a place for an int64 has %d bytes, want the key and a byte", n)
	}
}

// TestHintIsTrustedByDegrees: a hint that is far too large costs no more than a share of
// what was done before, and the more keys come the further it is followed.
func TestHintIsTrustedByDegrees(t *testing.T) {
	rerun.Skip(t)
	for _, hint := range []int{1 << 20, math.MaxInt32, math.MaxInt} {
		for _, shareAt := range []int{0, 50, 20_000, 1 << 30} {
			v := keyset.NewProbe[int](hint, nil)
			for i := range 40_000 {
				if i == shareAt {
					v.Share()
				}
				if !v.Add(i) {
					t.Fatalf("hint %d, shared at %d: key %d is not new", hint, shareAt, i)
				}
				// Powers of two, at most 0.7 full and then split; a shard has eight cells at least.
				if i&(i-1) != 0 {
					continue
				}
				if _, places := v.Len(); places > max(4*64*(i+1), 64*8) {
					t.Fatalf("hint %d, shared at %d: %d places for %d keys", hint, shareAt, places, i+1)
				}
			}
			if keys, places := v.Len(); keys != 40_000 || places < 400_000 {
				t.Errorf("hint %d, shared at %d: %d keys in %d places, want 40000 in places for many more", hint, shareAt, keys, places)
			}
		}
	}
}
