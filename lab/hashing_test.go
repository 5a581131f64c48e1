package lab_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/spaolacci/murmur3"

	"github.com/sweetspot-go/sweetspot/lab"
)

// The digest of hashText is never reset, so its last sum is that of all it was
// fed, at once.
func TestHashText(t *testing.T) {
	var fed bytes.Buffer
	digest := murmur3.New64()
	next := "work7"
	for range lab.Hashes {
		fed.WriteString(next)
		digest.Write([]byte(next))
		next = strconv.FormatUint(digest.Sum64(), 10)
	}
	got, err := lab.HashText("work7")
	if want := murmur3.Sum64(fed.Bytes()); got != want || err != nil {
		t.Errorf("got %d, %v, want %d", got, err, want)
	}
}

func TestHashNumber(t *testing.T) {
	for _, v := range []uint64{0, 1, 1 << 63} {
		want := v
		for range lab.Hashes {
			var b [8]byte
			for i := range b {
				b[i] = byte(want >> (8 * i))
			}
			want = murmur3.Sum64(b[:])
		}
		if got, err := lab.HashNumber(v); got != want || err != nil {
			t.Errorf("own buffer: %d gives %d, %v, want %d", v, got, err, want)
		}
		if got, err := lab.HashNumberIn(make([]byte, 8), v); got != want || err != nil {
			t.Errorf("given buffer: %d gives %d, %v, want %d", v, got, err, want)
		}
	}
}

// What the article found out about its units: the first kind allocates in each
// turn, the buffer of the second escapes, and with a state nothing is left.
func TestAllocationsOfUnits(t *testing.T) {
	buffer := make([]byte, 8)
	for _, unit := range []struct {
		name        string
		least, most float64
		do          func()
	}{
		{"text", 2 * lab.Hashes, 2*lab.Hashes + 10, func() { lab.HashText("work0") }},
		{"number", 1, 1, func() { lab.HashNumber(1) }},
		{"number in a buffer", 0, 0, func() { lab.HashNumberIn(buffer, 1) }},
		{"count", 0, 0, func() { lab.Count(1) }},
	} {
		if got := testing.AllocsPerRun(5, unit.do); got < unit.least || got > unit.most {
			t.Errorf("%s: %g allocations, want %g to %g", unit.name, got, unit.least, unit.most)
		}
	}
}

func TestCount(t *testing.T) {
	if got, err := lab.Count(0); got != 1 || err != nil { // 999,999 is odd
		t.Errorf("got %d, %v, want 1", got, err)
	}
}

func TestInputsDiffer(t *testing.T) {
	seen := map[any]bool{}
	for _, v := range lab.Texts(3000) {
		seen[v] = true
	}
	for _, v := range lab.Numbered(3000) {
		seen[v] = true
	}
	if len(seen) != 6000 {
		t.Errorf("%d inputs differ, want 6000", len(seen))
	}
}
