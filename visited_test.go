package sweetspot_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// TestVisitedIsASet: beside a map, through growth and sharing.
func TestVisitedIsASet(t *testing.T) {
	rerun.Skip(t)
	keys := make([]string, 30_000)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	for _, hint := range []int{0, 1, 1000, 200_000} {
		for _, shareAt := range []int{0, 1, 500, 10_000, 50_000, 1 << 30} {
			t.Run(fmt.Sprint(hint, shareAt), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				v := sweetspot.NewVisited[string](hint)
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
				taken, size := v.Len()
				if taken != n {
					t.Errorf("%d places are taken, want %d", taken, n)
				}
				// Tables are divided at seven eighths, and four times as large at
				// once while they are small; a hint counts as if the keys were there.
				if most := 6 * max(hint, n); size > most {
					t.Errorf("%d places for %d keys", size, n)
				}
			})
		}
	}
}

// TestVisitedSurvivesCollisions: keys with the same hash, or with hashes that
// share an end of the table, differ all the same.
func TestVisitedSurvivesCollisions(t *testing.T) {
	for name, hash := range map[string]func(i int) uint64{
		"all equal":  func(int) uint64 { return 12345 },
		"the last":   func(int) uint64 { return 1<<64 - 1 },
		"upper bits": func(i int) uint64 { return ^uint64(i) >> 60 << 60 },
		"lower bits": func(i int) uint64 { return uint64(i) },
	} {
		t.Run(name, func(t *testing.T) {
			v := sweetspot.NewVisitedBy(0, hash)
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

// TestVisitedKeepsWhatItCannotDivide: keys for which a table had no place are known also
// when it is divided later, since many other keys have come.
func TestVisitedKeepsWhatItCannotDivide(t *testing.T) {
	const same, others = 600, 100_000
	r := rand.New(rand.NewPCG(3, 4))
	hashes := make([]uint64, same+others)
	for i := range hashes {
		if hashes[i] = r.Uint64(); i < same {
			hashes[i] = uint64(i&1)<<53 | r.Uint64()>>57<<1 // the eleventh bit divides them, which few tables do not look at
		}
	}
	for _, share := range []bool{false, true} {
		v := sweetspot.NewVisitedBy(0, func(i int) uint64 { return hashes[i] })
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

// TestVisitedIsShared: each key is new to one of those who add it.
func TestVisitedIsShared(t *testing.T) {
	v := sweetspot.NewVisited[int](0)
	v.Share()
	isNew := make(once, 20_000)
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
	isNew.check(t, 1)
}

// TestShardsAreApart: no two are in the 128 bytes that are fetched together.
func TestShardsAreApart(t *testing.T) {
	if n := sweetspot.ShardSize; strconv.IntSize == 64 && n%128 != 0 {
		t.Errorf("a shard has %d bytes, want a multiple of 128", n)
	}
}

// TestATableIsSmall: memory is what a large set costs.
func TestATableIsSmall(t *testing.T) {
	if n := sweetspot.PlaceSize; n != 9 {
		t.Errorf("a place for an int64 has %d bytes, want the key and a byte", n)
	}
}
