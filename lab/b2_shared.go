package lab

import (
	"fmt"
	"math"
	"runtime"
)

// apart is a stride at which slots share nothing: two lines of 64 bytes, which
// some CPUs fetch as a pair, or one of 128.
const apart = 128

// The atomic variants do one addition for atomicPart of the others, because they
// are that much slower. Their figures are for one addition, too.
const atomicPart = 8

// b2 tests the cause as well as the effect: the article claims that the shared line
// slows the sums down. The line is the cause if it accounts for half of the slowdown or
// more, on a logarithmic scale, where factors add up.
//
// b2 separates two causes that the article treats as one: the sum is in memory,
// and the memory is shared.
func b2() *experiment {
	alone := "; with one CPU there is one goroutine, which shares its line with no other"
	return summing("B2", size{32, 200, 10_000, "million numbers"}, alone, func(r *results) verdict {
		serial, shared := r.at("serial", 0), r.at("shared slice", 0)
		slowdown := ratio(shared, serial)
		memory := ratio(r.at("serial, in memory", 0), serial)
		line := ratio(shared, r.at("slice, 128 bytes apart", 0))
		atomics := ratio(r.at("shared slice, atomic", 0), r.at("slice, 128 bytes apart, atomic", 0))
		v := verdict{
			words:  fmt.Sprintf("the shared slice takes %v the time of the serial loop", slowdown),
			effect: every(slowdown.sees(1, slower), line.sees(1, max(1, math.Sqrt(slowdown.y)))),
			notes: []string{
				fmt.Sprintf("A sum in memory instead of a register costs %v, without any second goroutine.", memory),
				fmt.Sprintf("A shared cache line costs %v with plain additions, %v with atomic ones.", line, atomics),
			},
		}
		switch {
		case r.cpus == 1:
		case memory.low > line.high:
			v.words += "; the line is not the cause: memory slows plain additions down more"
		case line.low > memory.high:
			v.words += "; the line slows plain additions down more than memory"
		default:
			v.words += "; whether memory or the line slows plain additions down more is undecided"
		}
		return v
	}, func() []point {
		cpus := runtime.GOMAXPROCS(0)
		return []point{
			serialSum(),
			slotPoint("serial, in memory", word, 1, 1, addTo),
			slotPoint("shared slice", word, 1, cpus, addTo),
			slotPoint("slice, 128 bytes apart", apart, 1, cpus, addTo),
			slotPoint("shared slice, atomic", word, atomicPart, cpus, addAtomicallyTo),
			slotPoint("slice, 128 bytes apart, atomic", apart, atomicPart, cpus, addAtomicallyTo),
		}
	})
}
