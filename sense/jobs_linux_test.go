package sense

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// A hog is a job of a simulated run: it grows evenly to its size, in a part of its time.
type hog struct {
	size    float64 // MB
	takes   time.Duration
	growing float64 // part of its time

	pid   int
	since time.Duration
	ran   time.Duration
}

func (g *hog) holds() float64 {
	return g.size * min(1, float64(g.ran)/(g.growing*float64(g.takes)))
}

// A pen is a machine that runs hogs.
type pen struct {
	memory   float64 // MB
	expected float64 // of the largest job, by an earlier run, MB; 0: unknown
	family   family
	running  []*hog
	now      time.Duration
	pids     int
}

// work runs all hogs, as many at a time as admit says, and returns the time it takes and
// how many died for want of memory. Those start again, as the last.
func (p *pen) work(hogs []hog, admit func(*pen) bool) (took time.Duration, killed int) {
	p.family = family{jobs: map[int]*job{}, expected: p.expected * 1e6}
	const step = 10 * time.Millisecond
	for len(hogs)+len(p.running) > 0 && killed < 100 { // it may never end otherwise
		for i := 0; i < len(p.running); i++ {
			if g := p.running[i]; g.ran >= g.takes {
				p.reap(i)
				i--
			}
		}
		for p.held() > p.memory {
			most := 0
			for i, g := range p.running {
				if g.holds() > p.running[most].holds() {
					most = i
				}
			}
			killed++
			hogs = append(hogs, *p.running[most])
			p.reap(most)
		}
		for len(hogs) > 0 && admit(p) {
			g := hogs[0]
			hogs = hogs[1:]
			p.pids++
			g.pid, g.since, g.ran = p.pids, p.now, 0
			p.running = append(p.running, &g)
			p.family.started(g.pid, p.now)
		}
		for _, g := range p.running {
			g.ran += step
		}
		p.now += step
	}
	return p.now, killed
}

func (p *pen) held() (sum float64) {
	for _, g := range p.running {
		sum += g.holds()
	}
	return sum
}

func (p *pen) reap(i int) {
	g := p.running[i]
	p.family.reaped(g.pid, 0, int64(g.holds()*1e6), p.now)
	p.running = append(p.running[:i], p.running[i+1:]...)
}

// fits admits as Children does.
func (p *pen) fits() bool {
	for _, g := range p.running {
		p.family.seen(g.pid, g.since, sight{held: g.holds() * 1e6, asleep: true}, p.now)
	}
	margin := roomOf(0, p.memory*1e6, true).margin
	n, _, _ := p.family.fits(p.now, (p.memory-p.held())*1e6-margin, 1)
	return len(p.running) == 0 || n > 0
}

// Jobs whose sizes differ by ten times fill the memory, and next to none dies. The time is
// compared with that of the most jobs at a time of which none ever dies. Jobs that grow to
// their end are the hardest: those of the start have no example. What an earlier run has learnt
// may be wrong by mistrust times.
func TestAdmissionBySize(t *testing.T) {
	rerun.Serial(t)
	const (
		runs  = 12
		short = 200 * time.Millisecond
		long  = 1400 * time.Millisecond
	)
	for _, c := range []struct {
		jobs        int
		memory      float64       // MB
		least, most float64       // that a job needs, MB
		expected    float64       // of the largest, MB; 0: unknown
		takes       time.Duration // short ones take up to three times as long
		growing     float64       // part of its time
		killed      int           // at most, of all
		slower      float64       // at most: time over that of the best
	}{
		{40, 3072, 150, 1000, 0, short, 0.5, 1, 1.15},
		{40, 4096, 150, 1000, 0, short, 0.5, 1, 1.35},
		{60, 3072, 200, 2000, 0, short, 0.5, 3, 1},
		{60, 4096, 200, 2000, 0, short, 0.5, 3, 1.15},
		{40, 3072, 150, 1000, 0, long, 0.1, 1, 1.15},
		{40, 3072, 150, 1000, 0, long, 1, 4, 1.15},
		{60, 4096, 200, 2000, 0, long, 1, 5, 1.2},
		{40, 3072, 150, 1000, 1000 / 16, long, 0.1, 1, 1.15},
		{60, 4096, 200, 2000, 2000 / 16, long, 1, 5, 1.2},
		{60, 4096, 2, 20, 20, long, 0.5, 0, 0.5},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			hogs := func(seed uint64) (all []hog) {
				random := rand.New(rand.NewPCG(seed, 5))
				for range c.jobs {
					g := hog{size: c.least + random.Float64()*(c.most-c.least), takes: c.takes, growing: c.growing}
					if c.takes == short {
						g.takes += time.Duration(2 * random.Float64() * float64(short))
					}
					all = append(all, g)
				}
				return all
			}
			total := func(admit func(*pen) bool) (took time.Duration, killed int) {
				for seed := range uint64(runs) {
					one, dead := (&pen{memory: c.memory, expected: c.expected}).work(hogs(seed), admit)
					took += one
					killed += dead
				}
				return took, killed
			}
			best, at := time.Duration(0), 0
			for n := 1; n <= 8; n++ {
				took, killed := total(func(p *pen) bool { return len(p.running) < n })
				if killed > 0 {
					break
				}
				best, at = took, n
			}
			took, killed := total((*pen).fits)
			t.Logf("%.2f of the time of %d at a time, %d killed", took.Seconds()/best.Seconds(), at, killed)
			if ratio := took.Seconds() / best.Seconds(); ratio > c.slower {
				t.Errorf("takes %.2f of the time of %d at a time, want at most %.2f", ratio, at, c.slower)
			}
			if killed > c.killed {
				t.Errorf("%d of %d jobs are killed", killed, runs*c.jobs)
			}
		})
	}
}

// A job has grown up once it has slept or computed for a while, and for a tenth of the time that it
// grew, without growing. One that waits for a CPU has not.
func TestJobsHaveGrownUp(t *testing.T) {
	const ms = time.Millisecond
	even := func(until time.Duration) func(time.Duration) sight {
		return func(age time.Duration) sight { return sight{held: float64(min(age, until)), asleep: true} }
	}
	for name, c := range map[string]struct {
		seen  func(age time.Duration) sight // at each look
		grown time.Duration                 // when it counts as grown up
	}{
		"sleeps":         {func(time.Duration) sight { return sight{held: 1e6, asleep: true} }, 40 * ms},
		"computes":       {func(age time.Duration) sight { return sight{held: 1e6, cpu: 1.01 * age.Seconds()} }, 40 * ms},
		"has half a CPU": {func(age time.Duration) sight { return sight{held: 1e6, cpu: 0.505 * age.Seconds()} }, 70 * ms},
		"has no CPU":     {func(time.Duration) sight { return sight{held: 1e6} }, 0},
		"grows briefly":  {even(100 * ms), 130 * ms},
		"grows long":     {even(1000 * ms), 1100 * ms},
		"grows later": {func(age time.Duration) sight {
			if age < 60*ms {
				return sight{held: 1e6, asleep: true}
			}
			return sight{held: 2e6, asleep: true}
		}, 90 * ms},
	} {
		f := family{jobs: map[int]*job{}}
		f.started(1, 0)
		grown := time.Duration(0)
		for age := 10 * ms; age <= 2000*ms; age += 10 * ms {
			f.seen(1, 0, c.seen(age), age)
			switch growing := f.jobs[1].growing(); {
			case growing:
				grown = 0
			case grown == 0:
				grown = age
			}
		}
		if grown != c.grown {
			t.Errorf("one that %s has grown up after %v, want %v", name, grown, c.grown)
		}
	}
}
