package sweetspot

import "time"

// Grains is a grain, with its methods in the open.
type Grains grain

func (g *Grains) Learn(reversed bool, first, second time.Duration) {
	(*grain)(g).learn(reversed, int64(first), int64(second))
}

func (g *Grains) Piece(reversed bool, first time.Duration) bool {
	return (*grain)(g).piece(reversed, int64(first))
}

func (g *Grains) Larger(reversed bool, first time.Duration) bool {
	return (*grain)(g).larger(reversed, int64(first))
}
