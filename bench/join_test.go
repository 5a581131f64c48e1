package bench

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/bench/internal/load"
	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

// A joinWork is one recursion in three forms. Each call does the same once more.
type joinWork struct {
	name       string
	serial     func()
	twin       func() // a serial one beside it, that shares no memory to write
	join       func(*sweetspot.Joiner)
	joinSerial func(*sweetspot.Joiner)
}

// joinRound is how long a form runs in each round: long beside the ticks in which
// the kernel tells the load of the machine.
const joinRound = 20 * time.Millisecond

// quiet is how many CPUs others may use during a round that counts.
const quiet = 0.1

// BenchmarkJoin compares Join and JoinSerial with the serial form and with
// halves: two serial forms at once, of which each does half of the work. All run
// in each round; the figures are medians of the ratios within a round. Rounds in
// which others used the machine are left out, unless all were so (others tells).
func BenchmarkJoin(b *testing.B) {
	for _, w := range joinWorks() {
		b.Run(w.name, func(b *testing.B) {
			j := sweetspot.NewJoiner()
			forms := []func(){
				w.serial,
				func() {
					var wg sync.WaitGroup
					wg.Go(w.twin)
					w.serial()
					wg.Wait()
				},
				func() { w.join(j) },
				func() { w.joinSerial(j) },
			}
			repeat := 1
			for began := time.Now(); time.Since(began) < joinRound; {
				repeat = max(1, int(joinRound/max(1, timed(1, w.serial))))
			}
			var all, kept joinRatios
			round := 0
			for b.Loop() {
				was := load.Now()
				var t [4]float64
				for _, i := range stats.Order(len(forms), round%len(forms), len(forms)) {
					t[i] = float64(timed(repeat, forms[i])) / float64(repeat)
				}
				round++
				others, known := load.Now().OthersSince(was)
				all.add(t, others)
				if known && others <= quiet {
					kept.add(t, others)
				}
			}
			if len(kept.serial) > 0 {
				all = kept
			}
			all.report(b)
		})
	}
}

func timed(n int, f func()) time.Duration {
	began := time.Now()
	for range n {
		f()
	}
	return time.Since(began)
}

// joinRatios are the figures of the rounds.
type joinRatios struct {
	serial, join, joinHalves, twin, twinHalves, others []float64
}

func (r *joinRatios) add(t [4]float64, others float64) {
	serial, halves, join, twin := t[0], t[1]/2, t[2], t[3]
	r.serial = append(r.serial, serial)
	r.join = append(r.join, join/serial)
	r.joinHalves = append(r.joinHalves, join/halves)
	r.twin = append(r.twin, twin/serial)
	r.twinHalves = append(r.twinHalves, twin/halves)
	r.others = append(r.others, others)
}

func (r *joinRatios) report(b *testing.B) {
	b.ReportMetric(0, "ns/op") // of a whole round: no use
	b.ReportMetric(stats.Median(r.serial), "serial-ns")
	b.ReportMetric(stats.Median(r.join), "Join/serial")
	b.ReportMetric(stats.Median(r.joinHalves), "Join/halves")
	b.ReportMetric(stats.Median(r.twin), "JoinSerial/serial")
	b.ReportMetric(stats.Median(r.twinHalves), "JoinSerial/halves")
	b.ReportMetric(stats.Median(r.others), "others")
	b.ReportMetric(float64(len(r.serial)), "rounds")
}

func joinWorks() []joinWork {
	sort, twin := newJoinSort(1_000_000), newJoinSort(1_000_000)
	works := []joinWork{
		fibWork("fib5", 5), fibWork("fib15", 15), fibWork("fib20", 20), fibWork("fib24", 24),
		fibWork("fib27", 27), fibWork("fib32", 32), fibWork("fib38", 38),
		{
			name:       "quicksort_1e6",
			serial:     func() { sort.fill(); quicksort(sort.work) },
			twin:       func() { twin.fill(); quicksort(twin.work) },
			join:       func(j *sweetspot.Joiner) { sort.fill(); joinQuicksort(j, sort.work) },
			joinSerial: func(j *sweetspot.Joiner) { sort.fill(); joinSerialQuicksort(j, sort.work) },
		},
		queensWork("queens8", 8), queensWork("queens11", 11), queensWork("queens12", 12),
	}
	for _, t := range []struct {
		name string
		grow func(layers int) *joinNode
	}{
		{"tree2e24_parents_first", growParentsFirst},
		{"tree2e24_children_first", func(layers int) *joinNode {
			return growJoinTree(1<<layers-1, func(n int) int { return n / 2 })
		}},
	} {
		tree := sync.OnceValue(func() *joinNode { return t.grow(24) })
		works = append(works, treeWork(t.name, tree))
	}
	for _, t := range []struct {
		name  string
		nodes int
		split func(n int) int
	}{
		{"tree1023_balanced", 1023, func(n int) int { return n / 2 }},
		{"tree100_balanced", 100, func(n int) int { return n / 2 }},
		{"tree1e6_balanced", 1_000_000, func(n int) int { return n / 2 }},
		{"tree1e6_random", 1_000_000, func(n int) int { return rand.IntN(n + 1) }},
		{"tree1e6_1to9", 1_000_000, func(n int) int { return n / 10 }},
		{"tree1e6_9to1", 1_000_000, func(n int) int { return n - n/10 }},
		{"tree1e6_1to99", 1_000_000, func(n int) int { return n / 100 }},
		{"list1e3_left", 1_000, func(n int) int { return n }},
		{"list1e5_left", 100_000, func(n int) int { return n }},
		{"list1e5_right", 100_000, func(int) int { return 0 }},
		{"list1e5_zigzag", 100_000, func(n int) int { return n * rand.IntN(2) }},
	} {
		tree := growJoinTree(t.nodes, t.split)
		works = append(works, treeWork(t.name, func() *joinNode { return tree }))
	}
	return works
}

// BenchmarkJoinArticle compares the article's attempts at fib(27) with its Slow.
func BenchmarkJoinArticle(b *testing.B) {
	for _, f := range []struct {
		name string
		fib  func(int) int
	}{{"Parallel1", articleParallel1}, {"Parallel2", articleParallel2}} {
		b.Run(f.name, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				slow := timed(1, func() { joined.Store(int64(articleSlow(27))) })
				fast := timed(1, func() { joined.Store(int64(f.fib(27))) })
				ratios = append(ratios, float64(fast)/float64(slow))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(stats.Median(ratios), f.name+"/Slow")
		})
	}
}

// All forms are what they are said to be, or the figures mean nothing.
func TestJoinWorks(t *testing.T) {
	j := sweetspot.NewJoiner()
	for _, n := range []int{1, 5, 15, 24} {
		want := articleSlow(n)
		if a, b := joinFib(j, n), joinSerialFib(j, n); a != want || b != want {
			t.Errorf("fib(%d): %d and %d, want %d", n, a, b, want)
		}
	}
	for n, want := range map[int]int{1: 1, 4: 2, 6: 4, 8: 92, 11: 2680} {
		q := newQueens(n)
		if a, b, c := countQueens(q), joinQueens(j, q), joinSerialQueens(j, q); a != want || b != want || c != want {
			t.Errorf("%d queens: %d, %d and %d, want %d", n, a, b, c, want)
		}
	}
	s := newJoinSort(20_000)
	for name, sort := range map[string]func(){
		"quicksort":           func() { quicksort(s.work) },
		"joinQuicksort":       func() { joinQuicksort(j, s.work) },
		"joinSerialQuicksort": func() { joinSerialQuicksort(j, s.work) },
	} {
		s.fill()
		if sort(); !slices.IsSorted(s.work) {
			t.Errorf("%s does not sort", name)
		}
	}
	tree := growJoinTree(10_000, func(n int) int { return rand.IntN(n + 1) })
	if a, b, c := sumTree(tree), joinTree(j, tree), joinSerialTree(j, tree); a != 10_000 || b != a || c != a {
		t.Errorf("sums %d, %d and %d, want 10000", a, b, c)
	}
}
