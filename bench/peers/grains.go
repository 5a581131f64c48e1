package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

type grain struct {
	name string
	each time.Duration // the mean of one item; 0 is an item of no rounds, a nanosecond
	skew bool
}

var grains = []grain{
	{"1 ns", 0, false},
	{"100 ns", 100 * time.Nanosecond, false},
	{"1 µs", time.Microsecond, false},
	{"10 µs", 10 * time.Microsecond, false},
	{"100 µs", 100 * time.Microsecond, false},
	{"1 ms", time.Millisecond, false},
	{"1 µs skewed", time.Microsecond, true},
	{"100 µs skewed", 100 * time.Microsecond, true},
}

var grainNames = collect(grains, func(g grain) string { return g.name })

func grainsFor(quick bool) []grain {
	return slices.DeleteFunc(slices.Clone(grains), func(g grain) bool {
		return quick && (g.each == 10*time.Microsecond || g.each == time.Millisecond)
	})
}

// items returns how many items make a loop of 24 ms, or a third of that for a
// quick look; the bars are for 20 ms and more.
func (g grain) items(quick bool) int {
	serial := 24 * time.Millisecond
	if quick {
		serial /= 3
	}
	if g.each == 0 && quick {
		return 200_000
	}
	if g.each == 0 {
		return 1_000_000
	}
	return int(serial / g.each)
}

// make returns the items, as rounds of spin.
func (g grain) make(e environment) []int {
	if g.skew {
		return e.skewed(e.items, g.each)
	}
	return e.uniform(e.items, g.each)
}

func mapping(e environment, g grain, m mapper) task {
	ctx := context.Background()
	items := g.make(e)
	return making(func() ([]int, error) { return m.do(ctx, items, theWork, e.procs) },
		func(results []int) error { return compare(ctx, items, results) })
}

func addMappings(add func(subject), g grain, procs int, quick bool, ms ...[]mapper) {
	for _, m := range slices.Concat(ms...) {
		add(subject{row: m.name, column: g.name, procs: procs, items: g.items(quick), set: func(e environment) task { return mapping(e, g, m) }})
	}
}

// compare reports whether results are those of items: some of them, as all would
// take as long as what is measured, or their sum if there is only that.
func compare(ctx context.Context, items, results []int) error {
	if len(results) == 1 && len(items) > 1 {
		want, err := loop(ctx, items, theWork)
		if err != nil {
			return err
		}
		sum := total(want)
		if results[0] != sum {
			return fmt.Errorf("the sum is %d, want %d", results[0], sum)
		}
		return nil
	}
	if len(results) != len(items) {
		return fmt.Errorf("%d results of %d items", len(results), len(items))
	}
	for i := 0; i < len(items); i += max(1, len(items)/16) {
		if want, err := theWork(ctx, items[i]); err != nil || results[i] != want {
			return fmt.Errorf("result %d is %d, want %d", i, results[i], want)
		}
	}
	return nil
}

// halvesOf returns the task of the same items cut into independent parts.
func halvesOf(e environment, g grain) task {
	ctx := context.Background()
	items := g.make(e)
	at := cuts(items, e.procs)
	parts := make([][]int, e.procs)
	return halves(e.procs, func(i int) {
		parts[i], _ = loop(ctx, items[at[i]:at[i+1]], theWork)
	}, func() error {
		for i, p := range parts {
			if err := compare(ctx, items[at[i]:at[i+1]], p); err != nil {
				return err
			}
		}
		return nil
	})
}

var (
	loopMapper = mapper{"loop", func(ctx context.Context, items []int, f work, _ int) ([]int, error) { return loop(ctx, items, f) }}
	byHand     = peers[0].name // one chunk per CPU
)

const halvesRow = "halves"

func grainsGroup() group {
	rows := append([]string{loopMapper.name, halvesRow}, names(ours, peers)...)
	return group{
		name:  "grains",
		title: "Map at any grain, on all CPUs",
		about: "Items of one size, and items whose cost rises linearly to twice the mean (\"skewed\"); as many as make\na loop of 24 ms, of 1 ns a million (a quick look: fewer). Everybody may use as many goroutines as CPUs, makes\nwhat it needs in the measured time, and puts the results in order. Ideal is the time of halves: 1.00.",
		list: func(procs int, quick bool, add func(subject)) {
			for _, g := range grainsFor(quick) {
				addMappings(add, g, procs, quick, []mapper{loopMapper})
				add(subject{row: halvesRow, column: g.name, procs: procs, items: g.items(quick), set: func(e environment) task { return halvesOf(e, g) }})
				addMappings(add, g, procs, quick, ours, peers)
			}
		},
		report: func(r *findings) {
			r.grid("Time as a multiple of halves, less is better:", rows, grainNames, r.over(halvesRow))
			r.grid("The same for the first call in a process, which knows nothing yet:", append([]string{byHand}, names(ours)...), grainNames, func(row, c string) string {
				return stats.FormatRatio(r.median(row, c, first) / r.median(halvesRow, c, first))
			})
			r.grid(fmt.Sprintf("Efficiency, loop / (%d x time); ideal is 1:", r.procs), rows[1:], grainNames, func(row, c string) string {
				return stats.FormatRatio(r.ratio(loopMapper.name, row, c, ns) / float64(r.procs))
			})
			r.grid("Time per item:", rows, grainNames, r.each(perItem, stats.FormatTime))
			r.grid("Allocations per run:", rows, []string{grains[0].name, grains[2].name, grains[4].name}, r.each(mallocs, count))
			r.atMost("Map, 1e6 items of 1 ns", r.ratios("Map", byHand, grains[0].name, ns), 1.25, "chunk per CPU by hand")
			for _, g := range grains[1:] {
				r.atMost("Map, items of "+g.name, r.ratios("Map", halvesRow, g.name, ns), 1.07, "halves")
				best, xs := r.againstBest("Map", names(peers), g.name, halvesRow)
				r.atMost("Map, items of "+g.name, xs, 1.03, fmt.Sprintf("the best peer (%s)", best))
			}
			r.fasterPeers(r.view, halvesRow)
		},
	}
}

// fasterPeers tells, for each grain, which peers are faster than Map by more
// than 3 %, which is what such measurements can tell apart.
func (r *findings) fasterPeers(v view, base string) {
	for _, g := range grains {
		mine := v.ratio("Map", base, g.name, ns)
		var faster []string
		for _, peer := range names(peers) {
			if x := v.ratio(peer, base, g.name, ns); 1.03*x < mine {
				faster = append(faster, fmt.Sprintf("%s %s", peer, stats.FormatRatio(x/mine)))
			}
		}
		if len(faster) > 0 {
			r.lose("Items of %s, GOMAXPROCS=%d, time as a multiple of Map's: %s", g.name, v.procs, strings.Join(faster, "; "))
		}
	}
}

func singleGroup() group {
	some := slices.DeleteFunc(slices.Clone(peers), func(m mapper) bool {
		return m.name != byHand && m.name != "errgroup" && m.name != "conc iter"
	})
	rows := names([]mapper{loopMapper}, ours, some)
	return group{
		name:  "single",
		title: "Map at any grain, GOMAXPROCS=1",
		about: "The same items where nothing can run in parallel. Ideal is the time of the loop: 1.00.",
		list: func(_ int, quick bool, add func(subject)) {
			for _, g := range grainsFor(quick) {
				addMappings(add, g, 1, quick, []mapper{loopMapper}, ours, some)
			}
		},
		report: func(r *findings) {
			v := r.on(1)
			r.grid("Time as a multiple of the loop, less is better:", rows, grainNames, v.over(loopMapper.name))
			for _, g := range grains {
				r.atMost("Map, GOMAXPROCS=1, items of "+g.name, v.ratios("Map", loopMapper.name, g.name, ns), 1.05, "loop")
			}
			r.fasterPeers(v, loopMapper.name)
		},
	}
}
