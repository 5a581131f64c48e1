package keyset_test

import (
	"math/rand/v2"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/keyset"
)

// FuzzSet adds keys one by one and at once, before and after the set is shared, and
// compares the set with a map. Only some bits of the hashes differ.
func FuzzSet(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, uint16(seed*277), uint8(seed), uint8(seed*5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, hashes, hint uint8) {
		r := rand.New(rand.NewPCG(seed, 2))
		mask := ^uint64(0)
		switch few := hashes / 4 % 16; hashes % 4 {
		case 0: // upper bits
			mask <<= 64 - few
		case 1: // lower bits
			mask >>= 63 - few
		case 2: // some bits
			mask = r.Uint64() & r.Uint64()
		}
		salt := r.Uint64()
		p := keyset.NewProbe(int(hint)*int(hint), func(k int) uint64 {
			h := (uint64(k) ^ salt) * 0x9e3779b97f4a7c15
			return (h ^ h>>29) * 0xbf58476d1ce4e5b9 & mask
		})
		distinct := 1 + int(n)%20_000
		shareAt, shared := r.IntN(2*distinct), false
		seen := map[int]bool{}
		for added := 0; added < 2*distinct; {
			if added >= shareAt && !shared {
				p.Share()
				shared = true
			}
			keys := make([]int, 1+r.IntN(200))
			var want []int
			for i := range keys {
				keys[i] = r.IntN(distinct)
			}
			added += len(keys)
			var got []int
			how := r.IntN(3)
			if how == 0 {
				for _, k := range keys {
					if p.Add(k) {
						got = append(got, k)
					}
				}
			} else {
				got = p.AddAll(how == 1, keys...)
			}
			for _, k := range keys {
				if !seen[k] {
					seen[k] = true
					want = append(want, k)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("after %d keys, %d of %d are new, want %d", added, len(got), len(keys), len(want))
			}
			fresh := map[int]bool{}
			for _, k := range want {
				fresh[k] = true
			}
			for _, k := range got {
				if !fresh[k] {
					t.Fatalf("after %d keys, key %d is new once more", added, k)
				}
				delete(fresh, k)
			}
		}
		if keys, _ := p.Len(); keys != len(seen) {
			t.Fatalf("%d keys, want %d", keys, len(seen))
		}
	})
}
