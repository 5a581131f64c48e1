package bench

import (
	"math/rand/v2"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// joined keeps results alive.
var joined atomic.Int64

// inPlace is the result of what works on a slice in place.
type inPlace struct{}

func fibWork(name string, n int) joinWork {
	return joinWork{
		name:       name,
		serial:     func() { joined.Store(int64(articleSlow(n))) },
		twin:       func() { joined.Store(int64(articleSlow(n))) },
		join:       func(j *sweetspot.Joiner) { joined.Store(int64(joinFib(j, n))) },
		joinSerial: func(j *sweetspot.Joiner) { joined.Store(int64(joinSerialFib(j, n))) },
	}
}

// articleSlow, articleParallel1 and articleParallel2 do what Slow, Parallel1 and
// Parallel2 of fillmore-labs.com/blog/goroutines do.
//
//go:noinline
func articleSlow(n int) int {
	if n < 2 {
		return n
	}
	return articleSlow(n-1) + articleSlow(n-2)
}

func articleParallel1(n int) int {
	if n < 2 {
		return n
	}
	a, b := make(chan int), make(chan int)
	go func() { a <- articleParallel1(n - 1) }()
	go func() { b <- articleParallel1(n - 2) }()
	return <-a + <-b
}

func articleParallel2(n int) int {
	if n < 2 {
		return n
	}
	a := make(chan int)
	go func() { a <- articleParallel2(n - 1) }()
	b := articleParallel2(n - 2)
	return <-a + b
}

func joinFib(j *sweetspot.Joiner, n int) int {
	if n < 2 {
		return n
	}
	a, b := sweetspot.Join(j, joinFib, n-1, n-2)
	return a + b
}

func joinSerialFib(j *sweetspot.Joiner, n int) int {
	if n < 2 {
		return n
	}
	a, b := sweetspot.JoinSerial(j, joinSerialFib, articleSlow, n-1, n-2)
	return a + b
}

// A joinNode is one of a tree to sum.
type joinNode struct {
	left, right *joinNode
	value       int
}

func growJoinTree(n int, split func(n int) int) *joinNode {
	if n == 0 {
		return nil
	}
	k := split(n - 1)
	return &joinNode{growJoinTree(k, split), growJoinTree(n-1-k, split), 1}
}

// growParentsFirst returns a full tree that lies in memory in the order in which a
// sum visits it. Where children come first, as above, a sum takes longer, as it
// waits for memory.
func growParentsFirst(layers int) *joinNode {
	if layers == 0 {
		return nil
	}
	t := &joinNode{value: 1}
	t.left = growParentsFirst(layers - 1)
	t.right = growParentsFirst(layers - 1)
	return t
}

func treeWork(name string, tree func() *joinNode) joinWork {
	return joinWork{
		name:       name,
		serial:     func() { joined.Store(int64(sumTree(tree()))) },
		twin:       func() { joined.Store(int64(sumTree(tree()))) },
		join:       func(j *sweetspot.Joiner) { joined.Store(int64(joinTree(j, tree()))) },
		joinSerial: func(j *sweetspot.Joiner) { joined.Store(int64(joinSerialTree(j, tree()))) },
	}
}

func sumTree(t *joinNode) int {
	if t == nil {
		return 0
	}
	return sumTree(t.left) + t.value + sumTree(t.right)
}

func joinTree(j *sweetspot.Joiner, t *joinNode) int {
	if t == nil {
		return 0
	}
	l, r := sweetspot.Join(j, joinTree, t.left, t.right)
	return l + t.value + r
}

func joinSerialTree(j *sweetspot.Joiner, t *joinNode) int {
	if t == nil {
		return 0
	}
	l, r := sweetspot.JoinSerial(j, joinSerialTree, sumTree, t.left, t.right)
	return l + t.value + r
}

// A joinSort is the same numbers to sort, again and again.
type joinSort struct{ from, work []int }

func newJoinSort(n int) joinSort {
	return joinSort{rand.New(rand.NewPCG(1, 2)).Perm(n), make([]int, n)}
}

func (s joinSort) fill() { copy(s.work, s.from) }

// shortSort is the length up to which slices are sorted by insertion.
const shortSort = 16

func quicksort(s []int) inPlace {
	if len(s) <= shortSort {
		insertionSort(s)
		return inPlace{}
	}
	p := partition(s)
	quicksort(s[:p])
	quicksort(s[p+1:])
	return inPlace{}
}

func joinQuicksort(j *sweetspot.Joiner, s []int) inPlace {
	if len(s) <= shortSort {
		insertionSort(s)
		return inPlace{}
	}
	p := partition(s)
	sweetspot.Join(j, joinQuicksort, s[:p], s[p+1:])
	return inPlace{}
}

func joinSerialQuicksort(j *sweetspot.Joiner, s []int) inPlace {
	if len(s) <= shortSort {
		insertionSort(s)
		return inPlace{}
	}
	p := partition(s)
	sweetspot.JoinSerial(j, joinSerialQuicksort, quicksort, s[:p], s[p+1:])
	return inPlace{}
}

// partition puts the middle one of the first, middle and last number in its place,
// less ones before it, and returns the place.
func partition(s []int) int {
	m, last := len(s)/2, len(s)-1
	if s[m] < s[0] {
		s[m], s[0] = s[0], s[m]
	}
	if s[last] < s[0] {
		s[last], s[0] = s[0], s[last]
	}
	if s[last] < s[m] {
		s[last], s[m] = s[m], s[last]
	}
	s[m], s[last] = s[last], s[m]
	p := 0
	for i, v := range s[:last] {
		if v < s[last] {
			s[i], s[p] = s[p], v
			p++
		}
	}
	s[p], s[last] = s[last], s[p]
	return p
}

func insertionSort(s []int) {
	for i := 1; i < len(s); i++ {
		for k := i; k > 0 && s[k] < s[k-1]; k-- {
			s[k], s[k-1] = s[k-1], s[k]
		}
	}
}

// A queens is a board with queens in the rows above row, and the columns of row
// that are still to be tried.
type queens struct {
	size, row                int
	columns, falling, rising uint32 // attacked
	try                      uint32
}

func newQueens(size int) queens { return queens{size: size, try: 1<<size - 1} }

// place splits off the first column: the board with a queen there, and the one
// with the other columns to try.
func (q queens) place() (with, without queens) {
	bit := q.try & -q.try
	without = q
	without.try ^= bit
	with = queens{
		size: q.size, row: q.row + 1,
		columns: q.columns | bit,
		falling: (q.falling | bit) << 1,
		rising:  (q.rising | bit) >> 1,
	}
	with.try = ^(with.columns | with.falling | with.rising) & (1<<q.size - 1)
	return with, without
}

func countQueens(q queens) (n int) {
	if q.row == q.size {
		return 1
	}
	for q.try != 0 {
		var with queens
		with, q = q.place()
		n += countQueens(with)
	}
	return n
}

func joinQueens(j *sweetspot.Joiner, q queens) int {
	if q.row == q.size {
		return 1
	}
	if q.try == 0 {
		return 0
	}
	with, without := q.place()
	a, b := sweetspot.Join(j, joinQueens, with, without)
	return a + b
}

func joinSerialQueens(j *sweetspot.Joiner, q queens) int {
	if q.row == q.size {
		return 1
	}
	if q.try == 0 {
		return 0
	}
	with, without := q.place()
	a, b := sweetspot.JoinSerial(j, joinSerialQueens, countQueens, with, without)
	return a + b
}

func queensWork(name string, n int) joinWork {
	q := newQueens(n)
	return joinWork{
		name:       name,
		serial:     func() { joined.Store(int64(countQueens(q))) },
		twin:       func() { joined.Store(int64(countQueens(q))) },
		join:       func(j *sweetspot.Joiner) { joined.Store(int64(joinQueens(j, q))) },
		joinSerial: func(j *sweetspot.Joiner) { joined.Store(int64(joinSerialQueens(j, q))) },
	}
}
