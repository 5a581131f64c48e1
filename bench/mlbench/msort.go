package main

import (
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

// sortGrain is theirs for sorting.
const sortGrain = 1000

func msort() problem {
	return problem{"msort", "a merge sort whose merges are parallel, too", []int{2_000_000, 50_000}, func(n int) solutions {
		numbers := make([]int, n)
		for i := range numbers {
			numbers[i] = int(hash(uint64(i)) % uint64(n))
		}
		return compare(slices.Equal, func(form int) []int {
			if form == byHand {
				sorted := make([]int, n)
				split(grain, 0, n, func(lo, hi int) { copy(sorted[lo:hi], numbers[lo:hi]) })
				newSorting(sorted).byHand()
				return sorted
			}
			s := newSorting(slices.Clone(numbers))
			if form == serial {
				s.serial()
			} else {
				joinSort(sweetspot.NewJoiner(), s)
			}
			return s.numbers
		})
	}}
}

// A sorting puts numbers in order: where they are or, if moved, in the room beside them.
type sorting struct {
	numbers, room []int
	moved         bool
}

func newSorting(numbers []int) sorting { return sorting{numbers, make([]int, len(numbers)), false} }

// halves returns the sortings of the halves, and the merging that follows them. It takes
// the numbers from one slice into the other.
func (s sorting) halves() (a, b sorting, m merging) {
	h := len(s.numbers) / 2
	a = sorting{s.numbers[:h], s.room[:h], !s.moved}
	b = sorting{s.numbers[h:], s.room[h:], !s.moved}
	if s.moved {
		return a, b, merging{a.numbers, b.numbers, s.room}
	}
	return a, b, merging{a.room, b.room, s.numbers}
}

// leaf sorts by the standard library.
func (s sorting) leaf() {
	if s.moved {
		copy(s.room, s.numbers)
		slices.Sort(s.room)
	} else {
		slices.Sort(s.numbers)
	}
}

// serial returns nothing of use, for the sake of JoinSerial, as do others below.
func (s sorting) serial() struct{} {
	if len(s.numbers) <= sortGrain {
		s.leaf()
		return struct{}{}
	}
	a, b, m := s.halves()
	a.serial()
	b.serial()
	return m.serial()
}

func (s sorting) byHand() {
	if len(s.numbers) <= sortGrain {
		s.leaf()
		return
	}
	a, b, m := s.halves()
	both(a.byHand, b.byHand)
	m.byHand()
}

func joinSort(j *sweetspot.Joiner, s sorting) struct{} {
	if len(s.numbers) <= 1 {
		s.leaf()
		return struct{}{}
	}
	a, b, m := s.halves()
	sweetspot.JoinSerial(j, joinSort, sorting.serial, a, b)
	return joinMerge(j, m)
}

// A merging puts two slices in order into a third.
type merging struct{ a, b, out []int }

// halves divides a merging of three numbers or more at the middle of the longer slice.
func (m merging) halves() (first, last merging) {
	i, j := len(m.a)/2, 0
	if len(m.a) >= len(m.b) {
		j, _ = slices.BinarySearch(m.b, m.a[i])
	} else {
		j = len(m.b) / 2
		i, _ = slices.BinarySearch(m.a, m.b[j])
	}
	return merging{m.a[:i], m.b[:j], m.out[:i+j]}, merging{m.a[i:], m.b[j:], m.out[i+j:]}
}

func (m merging) serial() struct{} {
	a, b, out := m.a, m.b, m.out
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out[0], a = a[0], a[1:]
		} else {
			out[0], b = b[0], b[1:]
		}
		out = out[1:]
	}
	copy(out, a)
	copy(out[len(a):], b)
	return struct{}{}
}

func (m merging) byHand() {
	if len(m.out) <= grain {
		m.serial()
		return
	}
	first, last := m.halves()
	both(first.byHand, last.byHand)
}

func joinMerge(j *sweetspot.Joiner, m merging) struct{} {
	if len(m.out) <= 2 {
		return m.serial()
	}
	first, last := m.halves()
	sweetspot.JoinSerial(j, joinMerge, merging.serial, first, last)
	return struct{}{}
}
