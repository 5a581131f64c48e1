package call_test

import (
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// TestSizer: whatever an item costs, chunks soon last about the time they should,
// and slow items go one by one.
func TestSizer(t *testing.T) {
	for _, cost := range []float64{1, 20, 300, 5e3, 50e3, 1e6, 1e9} {
		var p call.Sizer
		items, chunk := 0, 0
		for range 6 {
			chunk = p.Next(1 << 20)
			items += chunk
			p.See(chunk, time.Duration(cost*float64(chunk)))
		}
		chunk = p.Next(1 << 20)
		lasts := cost * float64(chunk)
		if chunk > 1 && (lasts < 0.5*float64(call.ChunkTime) || lasts > 1.5*float64(call.ChunkTime)) {
			t.Errorf("items of %g ns: chunks of %d last %g ns", cost, chunk, lasts)
		}
		if cost >= float64(call.ChunkTime) && items > 6 {
			t.Errorf("items of %g ns: %d in six chunks", cost, items)
		}
		if got := p.Next(100); got > 100 {
			t.Errorf("a chunk of %d, at most 100 allowed", got)
		}
	}
}

// TestSizerFollows: items that become slower get smaller chunks within a few.
func TestSizerFollows(t *testing.T) {
	var p call.Sizer
	for range 10 {
		n := p.Next(call.ChunkMost)
		p.See(n, 100*time.Duration(n))
	}
	for range 5 {
		n := p.Next(call.ChunkMost)
		p.See(n, time.Duration(n)*time.Millisecond)
	}
	if n := p.Next(call.ChunkMost); n != 1 {
		t.Errorf("chunks of %d items of 1 ms", n)
	}
}

// TestSizerKnows: where earlier calls have found what an item costs, a short first chunk does
// not lead to one that lasts for long; nor do they hold up items that have become quick.
func TestSizerKnows(t *testing.T) {
	for _, c := range []struct {
		name          string
		known, cost   time.Duration
		chunks, least int
		most          time.Duration // of the second chunk
	}{
		{"a tiny one first", 40 * time.Microsecond, 40 * time.Microsecond, 3, 3, call.ChunkTime},
		{"quick by now", 40 * time.Microsecond, 20 * time.Nanosecond, 8, 1000, call.ChunkTime},
		{"unknown", 0, 20 * time.Nanosecond, 4, 1000, call.ChunkTime},
	} {
		p := call.SizerOf(float64(c.known))
		p.See(p.Next(call.ChunkMost), 20*time.Nanosecond)
		items := 1
		for i := range c.chunks - 1 {
			n := p.Next(call.ChunkMost)
			took := time.Duration(n) * c.cost
			if i == 0 && took > c.most {
				t.Errorf("%s: the second chunk takes %v", c.name, took)
			}
			p.See(n, took)
			items += n
		}
		if items < c.least {
			t.Errorf("%s: %d items in %d chunks, want %d", c.name, items, c.chunks, c.least)
		}
	}
}
