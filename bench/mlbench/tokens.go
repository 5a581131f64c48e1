package main

import (
	"context"
	"slices"
)

func tokens() problem {
	return problem{"tokens", "where the words of a text begin and end", []int{20_000_000, 500_000}, func(n int) solutions {
		t := newText(n)
		edges := filter{t.countEdges, t.fillEdges}
		return compare(slices.Equal, func(form int) []word {
			at := edges.in(form, 0, n+1)
			words := make([]word, len(at)/2)
			loop(context.Background(), form, grain, len(words), func(lo, hi int) { fillWords(words[lo:hi], at[2*lo:2*hi]) })
			return words
		})
	}}
}

// A word lies from one position of a text up to another.
type word struct{ from, to int }

// A text is letters and spaces.
type text []byte

// newText returns words of random lengths, five letters on average.
func newText(n int) text {
	t := make(text, n)
	for i := range t {
		if t[i] = 'a' + byte(hash(uint64(i))>>32%26); hash(uint64(i))%6 == 0 {
			t[i] = " \n\r\t"[hash(uint64(i))>>60%4]
		}
	}
	return t
}

func space(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// isEdge reports whether a word begins or ends at i.
func (t text) isEdge(i int) bool {
	switch i {
	case 0:
		return !space(t[0])
	case len(t):
		return !space(t[i-1])
	}
	return space(t[i]) != space(t[i-1])
}

func (t text) countEdges(lo, hi int) (n int) {
	for i := lo; i < hi; i++ {
		if t.isEdge(i) {
			n++
		}
	}
	return n
}

func (t text) fillEdges(found []int, lo, hi int) {
	n := 0
	for i := lo; i < hi; i++ {
		if t.isEdge(i) {
			found[n] = i
			n++
		}
	}
}

// fillWords makes words of their edges.
func fillWords(words []word, edges []int) {
	for i := range words {
		words[i] = word{edges[2*i], edges[2*i+1]}
	}
}
