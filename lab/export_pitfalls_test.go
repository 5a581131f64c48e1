package lab

import (
	"runtime"

	"github.com/sweetspot-go/sweetspot"
)

// What benchmarks of the articles' pitfalls run: the work that experiments measure.

// AddNumbers sums the numbers below limit in one slot for each CPU, stride bytes
// apart, with plain additions or atomic ones.
func AddNumbers(limit int64, stride int, atomically bool) func() int64 {
	g := runtime.GOMAXPROCS(0)
	sums := slots(g, stride)
	add := addTo
	if atomically {
		add = addAtomicallyTo
	}
	return func() int64 {
		clear(sums)
		addShares(sums, stride/word, limit, g, add)
		var s int64
		for i := range g {
			s += sums[i*stride/word]
		}
		return s
	}
}

const (
	Word  = word
	Apart = apart
)

var (
	FibParallel1 = parallel1
	FibParallel2 = parallel2
	FibJoined    = func(i int) int { return joined(sweetspot.NewJoiner(), i) }

	// Marks return how many nodes of the tree they have reached.
	MarkEach = func(nodes int) func() int {
		g := treeOf(nodes)
		return func() int { return len(markEach(g)) }
	}
	MarkByWalk = func(nodes int) func() (int, error) {
		g := treeOf(nodes)
		marks := marksOf(g)
		return func() (int, error) {
			clear(marks)
			err := markByWalk(g, marks)
			reached := 0
			for _, m := range marks {
				reached += int(m)
			}
			return reached, err
		}
	}

	Nothing = nothing
)
