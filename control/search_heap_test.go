package control_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
)

// A hoard is work on two CPUs whose units allocate so many bytes each; n of them
// at a time make so many units and collections a second.
func hoard(bytes, limit float64, rate, collections func(n int) float64) *fluid {
	p := &fluid{cpus: 2, rate: func(n int, _ time.Duration) float64 { return rate(n) }}
	var cycles float64
	p.edit = func(r *control.Reading) {
		r.OwnCPU = 2 * r.At.Seconds()
		r.MachineCPU = r.OwnCPU
		cycles += collections(r.Limit) * fluidTick.Seconds()
		r.Collections = int64(cycles)
		r.Allocated, r.HeapLimit = bytes*r.Units, limit
	}
	return p
}

// valley is the throughput of 400 kB a unit: 2 share a tiny heap well, 4 to 12 do
// not, and 48 to 128 have one that is left alone.
func valley(n int) float64 {
	switch {
	case n <= 2:
		return 9000
	case n <= 12:
		return 3000
	case n <= 32:
		return 6000
	case n <= 128:
		return 13000
	}
	return 3000
}

// rarer is how many collections there are: the fewer, the larger the heap.
func rarer(n int) float64 { return 1000 / (1 + float64(n)/10) }

// most returns the highest limit that was tried, and the share of the time above 4.
func (p *fluid) most(c control.Controller, limit int, until time.Duration) (most int, above float64) {
	ticks := 0
	p.see = func(_ control.Reading, d control.Decision) {
		most = max(most, d.Limit)
		ticks++
		if d.Limit > 4 {
			above++
		}
	}
	p.run(c, limit, until)
	return most, above / float64(ticks)
}

func TestSearchFindsTheLargerHeap(t *testing.T) {
	for name, limit := range map[string]float64{"GOMEMLIMIT": 96 << 20, "no limit": 0} {
		p := hoard(400e3, limit, valley, rarer)
		c := control.NewSearch()
		if most, _ := p.most(c, 2, 30*time.Second); most > 200 {
			t.Errorf("%s: it tried %d, which would hold 80 MB", name, most)
		}
		if home := c.Home(); home < 40 || home > 128 {
			t.Errorf("%s: the limit stands at %d, want 40 to 128", name, home)
		}
	}
}

func TestTheLargerHeapStaysWithinItsPart(t *testing.T) {
	// Seven sixteenths of 16 MiB are 18 units, and twice that is as far as small steps go.
	p := hoard(400e3, 16<<20, func(n int) float64 { return 1000 * float64(n) }, rarer)
	if most, _ := p.most(control.NewSearch(), 2, 30*time.Second); most > 36 {
		t.Errorf("it tried %d, which may hold seven eighths of the limit and more", most)
	}
}

func TestNoLookWithoutCollections(t *testing.T) {
	for name, p := range map[string]*fluid{
		"few collections": hoard(400e3, 96<<20, valley, func(int) float64 { return 40 }),
		"small units":     hoard(1e3, 96<<20, valley, rarer),
		"no allocation":   hoard(0, 96<<20, valley, rarer),
		"large units":     hoard(40e6, 96<<20, valley, rarer),
	} {
		c := control.NewSearch()
		if most, _ := p.most(c, 2, 60*time.Second); most > 4 || c.Home() > 2 {
			t.Errorf("%s: it tried %d and stands at %d, want 2", name, most, c.Home())
		}
	}
}

func TestLooksAtALargerHeapAreRare(t *testing.T) {
	p := hoard(400e3, 96<<20, func(n int) float64 {
		if n <= 2 {
			return 9000
		}
		return 4000
	}, rarer)
	c := control.NewSearch()
	most, above := p.most(c, 2, 2*time.Minute)
	if c.Home() > 2 {
		t.Errorf("the limit stands at %d, want 2", c.Home())
	}
	if most < 50 || above > 0.04 {
		t.Errorf("it tried %d and was above for %.1f %% of the time, want a look, and at most 4 %%", most, 100*above)
	}
}

// Units that hold next to nothing of what they allocate make no larger heap.
func TestGarbageIsNoHeap(t *testing.T) {
	p := hoard(200e3, 0, func(n int) float64 { return 4000 }, func(int) float64 { return 300 })
	c := control.NewSearch()
	looks, most := 0, 0
	p.see = func(_ control.Reading, d control.Decision) {
		most = max(most, d.Limit)
		if k := d.Reason; k.Kind == control.Stay && k.Note == "its heap is no larger" {
			looks++
		}
	}
	p.run(c, 2, 2*time.Minute)
	if c.Home() > 2 || looks < 1 || looks > 3 {
		t.Errorf("the limit stands at %d, want 2, after %d looks in 2 min, want 1 to 3", c.Home(), looks)
	}
	if most > 128 {
		t.Errorf("it tried %d, and would have seen at 26 MB already that nothing is held", most)
	}
}

// Package sense does not mention a ceiling that is more than eight times above what is
// in flight, and looks at each within a quarter of a second.
func TestTheLargerHeapIsApproachedInSteps(t *testing.T) {
	for name, c := range map[string]struct {
		bytes      float64
		least, end int
	}{
		"400 kB": {400e3, 100, 105},
		"12 kB":  {12e3, 3400, 3500}, // less than that and it is the stacks that are the heap
	} {
		p := hoard(c.bytes, 0, valley, rarer)
		most := 2
		var raised time.Duration
		p.see = func(r control.Reading, d control.Decision) {
			if d.Limit <= most {
				return
			}
			if d.Limit > 8*most {
				t.Errorf("%s: the limit rose from %d to %d", name, most, d.Limit)
			}
			if most > 2 && r.At-raised < 250*time.Millisecond {
				t.Errorf("%s: from %d to %d it took %v", name, most, d.Limit, r.At-raised)
			}
			most, raised = d.Limit, r.At
		}
		p.run(control.NewSearch(), 2, 5*time.Second)
		if most < c.least || most > c.end {
			t.Errorf("%s: it tried %d, want %d to %d", name, most, c.least, c.end)
		}
	}
}

// Far above, long units turn over too slowly.
func TestNoLookAtLongUnits(t *testing.T) {
	p := hoard(100e3, 0, func(int) float64 { return 2 }, func(int) float64 { return 500 })
	if most, _ := p.most(control.NewSearch(), 2, time.Minute); most > 4 {
		t.Errorf("it tried %d, where a unit may take %d s", most, most/2)
	}
}

// Idle CPUs are for units, however much memory these hold.
func TestIdleCPUsBesideCollections(t *testing.T) {
	for name, bytes := range map[string]float64{"4 MB": 4e6, "unknown": 0} {
		p := &fluid{cpus: 64, cpu: 0.1, rate: server(64, 100*time.Millisecond)}
		p.demand = func(at time.Duration) int {
			if at < 20*time.Second {
				return 36
			}
			return 1000
		}
		p.edit = func(r *control.Reading) {
			r.Collections = int64(60 * r.At.Seconds())
			r.Allocated = bytes * r.Units
		}
		c := control.NewSearch()
		p.run(c, 64, 20*time.Second)
		before := c.Home()
		p.run(c, 64, time.Minute)
		if c.Home() < 58 {
			t.Errorf("%s: the limit fell to %d with the demand, and is %d of 64 CPUs since there is more", name, before, c.Home())
		}
	}
}

// What is learnt of noise while the collector is busy is not what comes after.
func TestNoiseOfCollectionsIsApart(t *testing.T) {
	m := control.NewModel()
	quiet := control.Window{N: 2, T: 0.5, X: 1000, Comp: 1e6, U: 1, CPUs: 2}
	before := m.NoiseX(quiet, quiet)
	crowded := quiet
	crowded.GC = 100
	for i := range 100 {
		crowded.At = 0.5 * float64(i)
		crowded.X = 1000 + 500*float64(i%2)
		m.See(crowded)
	}
	if v := m.NoiseX(crowded, crowded); v < 0.15 || v > 0.18 { // the square of ln 1.5
		t.Errorf("the noise of windows that differ by half is %v, want 0.16", v)
	}
	if v := m.NoiseX(quiet, quiet); v != before {
		t.Errorf("without collections the noise was %v, and is %v", before, v)
	}
}

// peaked is the throughput of 4 MB a unit that is held for 15 ms.
func peaked(n int) float64 {
	switch {
	case n <= 6:
		return 47 * float64(n)
	case n <= 10:
		return 282 + 30*float64(n-6)
	}
	return max(400-2*float64(n-10), 50)
}

// bursty is a hoard with 22 % of noise in 0.1 s. For a while after each raise its heap
// grows: there are next to no collections, and six tenths of the throughput. It adds the
// units done, but for the noise, to sum.
func bursty(seed uint64, bytes float64, grows time.Duration, rate, collections func(n int) float64, sum *float64) *fluid {
	rng := rand.New(rand.NewPCG(seed, 1))
	noise, until := 1.0, time.Duration(0)
	prev, raised := 2, -time.Hour
	var at time.Duration
	p := hoard(bytes, 96<<20, nil, func(n int) float64 {
		if at-raised < grows {
			return 8
		}
		return collections(n)
	})
	p.rate = func(n int, now time.Duration) float64 {
		if at = now; now >= until {
			noise, until = math.Exp(0.22*rng.NormFloat64()), now+100*time.Millisecond
		}
		if n > prev {
			raised = now
		}
		prev = n
		x := rate(n)
		if now-raised < grows {
			x *= 0.6
		}
		*sum += x * fluidTick.Seconds()
		return x * noise
	}
	return p
}

// Windows of such work differ by a third, however many units they have: a search
// that waited for certainty would stand at 6 to 8 for most of a minute.
func TestNoisyHeapGoesByBalance(t *testing.T) {
	const seeds = 60
	var sum float64
	low := 0
	for seed := range uint64(seeds) {
		p := bursty(seed, 5.2e6, 300*time.Millisecond, peaked, func(int) float64 { return 60 }, &sum)
		edit, busy := p.edit, 0.0
		p.edit = func(r *control.Reading) {
			edit(r)
			busy += min(1.9, 0.3+0.13*float64(r.Limit)) * fluidTick.Seconds()
			r.OwnCPU, r.MachineCPU = busy, busy
		}
		c := control.NewSearch()
		p.run(c, 2, time.Minute)
		if c.Home() < 9 {
			low++
		}
	}
	share := sum / (peaked(10) * 60 * seeds)
	t.Logf("%.3f of the best throughput; %d of %d stand below 9", share, low, seeds)
	if share < 0.94 || low > 3 {
		t.Errorf("%.3f of the best throughput, want 0.94; after a minute %d of %d stand below 9 of 10, want 3 at most", share, low, seeds)
	}
}

// touched is the throughput of blocks of 4 MB that are written and read, of which
// some 96 MB may be in memory.
func touched(n int) float64 {
	curve := []float64{0, 300, 560, 700, 870, 960, 1050, 1100, 1160, 1230, 1310, 1370, 1340, 1250, 1150, 1090, 1030}
	if n < len(curve) {
		return curve[n]
	}
	return max(1030-130*float64(n-16), 140)
}

// A larger heap is looked at before a neighbour: by neighbours half a minute went by
// at 4 to 8 of 11 blocks.
func TestTheLargerHeapComesBeforeNeighbours(t *testing.T) {
	const seeds = 40
	var sum float64
	late := 0
	for seed := range uint64(seeds) {
		p := bursty(seed, 4.1e6, 400*time.Millisecond, touched, func(n int) float64 { return max(230-6*float64(n), 120) }, &sum)
		c := control.NewSearch()
		p.run(c, 2, 3*time.Second)
		if c.Home() < 8 {
			late++
		}
		p.run(c, 2, 30*time.Second)
	}
	share := sum / (touched(11) * 30 * seeds)
	t.Logf("%.3f of the best throughput; after 3 s %d of %d stand below 8", share, late, seeds)
	if share < 0.92 || late > 3 {
		t.Errorf("%.3f of the best throughput, want 0.92; after 3 s %d of %d stand below 8 of 11, want 3 at most", share, late, seeds)
	}
}
