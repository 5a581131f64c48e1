package main

import (
	"fmt"
	"slices"

	"github.com/sweetspot-go/sweetspot/bench/internal/stats"
)

const (
	serialRow  = "serial"
	joinRow    = "JoinSerial"
	toDepthRow = "by hand: go down to depth 6"
	inTurnRow  = "by hand: pieces in turn"
	helpRow    = "by hand: until a second thread runs"
)

// shortFib is a millisecond of fib, in which the start of a second thread counts.
const shortFib = 27

// recursions are what is computed, the short one first.
func recursions(quick bool) []recursion {
	if quick {
		return []recursion{fib(shortFib, true), fib(33, false), sorting(200_000), summing(200_000), placing(9)}
	}
	return []recursion{fib(shortFib, true), fib(38, false), sorting(1_000_000), summing(1_000_000), placing(11)}
}

func joinGroup() group {
	rows := []string{serialRow, halvesRow, joinRow, joinRow + afterAnother, toDepthRow, toDepthRow + afterAnother, inTurnRow, inTurnRow + afterAnother, helpRow}
	return group{
		name:  "join",
		title: "Join",
		about: "Recursions with a serial twin and no cutoff. \"halves\" are many parts of the same recursion, shared evenly and\ncomputed at the same time, of the sort independent sorts. The depth of the one by hand was found by\ntrying. A goroutine for each call takes hundreds of times as long: experiments D2 and D3 of the lab.\n\"pieces in turn\" knows the recursion: goroutines started at once take its parts, known to be of the right size, until none\nis left. \"until a second thread runs\" is how long the caller computes alone after it has started a goroutine; no way to\ndivide can change that.\nBefore each run threads have a millisecond to park, as in a program that does something else in between; where it\ntakes 0.1 ms and more to wake them, and the serial function 1 ms, that decides. So some run right after another as well.\nA kernel may put the thread that wakes on the CPU of the one that wakes it, though another CPU is idle, and leave it there\nfor some milliseconds: then no way to divide gains anything. How often it did in this measurement is seen by the rows by hand\nthat take about as long as serial, and by the spread of all.",
		list: func(procs int, quick bool, add func(subject)) {
			for _, p := range slices.Compact([]int{procs, 1}) {
				for _, r := range recursions(quick) {
					for _, s := range r.subjects(p) {
						if p == procs || s.row == serialRow || s.row == joinRow {
							add(s)
						}
					}
					if p > 1 && r.awake != nil {
						add(subject{row: helpRow, column: r.name, procs: p, items: 1, set: func(environment) task { return awaitHelp(shortFib) }})
					}
				}
			}
		},
		report: func(r *findings) {
			columns := collect(recursions(r.quick), func(r recursion) string { return r.name })
			for _, p := range slices.Compact([]int{r.procs, 1}) {
				base := halvesRow
				if p == 1 {
					base = serialRow
				}
				r.grid(fmt.Sprintf("GOMAXPROCS=%d: time, and as a multiple of %s:", p, base), rows, columns, r.on(p).timed(base))
			}
			against := func(row, base, c string, procs int, most float64) {
				r.atMost(fmt.Sprintf("%s, %s, GOMAXPROCS=%d", row, c, procs), r.on(procs).ratios(row, base, c, ns), most, base)
			}
			short := columns[0]
			against(joinRow, serialRow, short, r.procs, shortMost)
			against(joinRow+afterAnother, serialRow, short, r.procs, shortMost)
			against(joinRow, serialRow, short, 1, 1.05)
			against(joinRow, halvesRow, columns[1], r.procs, 1.05)
			for _, c := range columns[2:] {
				against(joinRow, halvesRow, c, r.procs, 1.15)
			}
			for _, when := range []string{"", afterAnother} {
				mine, floor := r.ratio(joinRow+when, serialRow, short, ns), r.ratio(inTurnRow+when, serialRow, short, ns)
				if mine > shortMost && floor > 0 {
					r.lose("%s%s, %s, GOMAXPROCS=%d: %s x serial, where pieces in turn take %s", joinRow, when, short, r.procs, stats.FormatRatio(mine), stats.FormatRatio(floor))
				}
			}
			late, p := r.ratio(helpRow, serialRow, short, ns), float64(r.procs)
			if late > 0 {
				r.lose("%s, GOMAXPROCS=%d, threads at rest: others run after %s of the time of serial, so no way to divide takes less than %s of it", short, r.procs, stats.FormatRatio(late), stats.FormatRatio((1+(p-1)*min(late, 1))/p))
			}
		},
	}
}

// shortMost is the most that Join may take of the time of the serial function in the
// short recursion.
const shortMost = 0.72
