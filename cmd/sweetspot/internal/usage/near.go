package usage

import "strings"

// Slips returns how many letters must be added, left out, replaced or swapped
// with a neighbour to make b of a (the optimal string alignment distance), or
// more than most if there are more than that.
func Slips(a, b string, most int) int {
	if d := len(a) - len(b); d > most || -d > most {
		return most + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 0 && j > 1 && a[i] == b[j-2] && a[i-1] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// A Guess looks for the word that was meant. Of several it takes the nearest, then
// the shortest, then the first in the alphabet. A word that begins or ends with what was
// typed is one slip away.
type Guess struct {
	typed string
	stem  string // what a word may begin with: retr of retry, for retries
	best  string
	most  int // slips that a word may differ by
}

// NewGuess returns a Guess for a word that is not known.
func NewGuess(typed string) *Guess {
	g := &Guess{typed: typed, stem: typed, most: 2}
	switch { // as many slips make another word
	case len(typed) < 3:
		g.most = 0
	case len(typed) < 5:
		g.most = 1
	default:
		g.stem = typed[:len(typed)-1]
	}
	return g
}

// Try considers a word. fits is asked only if it would be the best so far.
func (g *Guess) Try(word string, fits func() bool) {
	n := Slips(g.typed, word, g.most)
	if len(g.typed) > 2 && (strings.HasPrefix(word, g.stem) || strings.HasSuffix(word, g.typed)) {
		n = min(n, 1)
	}
	if n > g.most || n == g.most && g.best != "" && !shorter(word, g.best) || !fits() {
		return
	}
	g.best, g.most = word, n
}

// Best returns the word that was meant, or "".
func (g *Guess) Best() string { return g.best }

func shorter(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
