package main

import (
	"fmt"
	"math/bits"

	"github.com/sweetspot-go/sweetspot"
)

// A board has a queen in each row above, and may get one at any of the free
// columns of the next one.
type board struct {
	n           int
	columns     uint32
	left, right uint32 // diagonals
	free        uint32 // columns to try in this row
}

func emptyBoard(n int) board { return board{n: n, free: 1<<n - 1} }

// place returns the board with a queen in the first free column, and the board
// on which the other columns are tried.
func (b board) place() (placed, others board) {
	q := b.free & -b.free
	others = b
	others.free &^= q
	placed = board{n: b.n, columns: b.columns | q, left: (b.left | q) << 1, right: (b.right | q) >> 1}
	placed.free = (1<<b.n - 1) &^ (placed.columns | placed.left | placed.right)
	return placed, others
}

func (b board) full() bool { return bits.OnesCount32(b.columns) == b.n }

// queens counts the ways to put the remaining queens.
func queens(b board) int {
	if b.full() {
		return 1
	}
	if b.free == 0 {
		return 0
	}
	placed, others := b.place()
	return queens(placed) + queens(others)
}

func joinedQueens(j *sweetspot.Joiner, b board) int {
	if b.full() {
		return 1
	}
	if b.free == 0 {
		return 0
	}
	placed, others := b.place()
	x, y := sweetspot.JoinSerial(j, joinedQueens, queens, placed, others)
	return x + y
}

// boards returns how many boards counting goes over: what it costs.
func boards(b board) int {
	if b.full() || b.free == 0 {
		return 1
	}
	placed, others := b.place()
	return 1 + boards(placed) + boards(others)
}

// placing counts the ways to put n queens on a board of n times n.
func placing(n int) recursion {
	return recursion{name: fmt.Sprintf("%d queens", n), set: func(parts int) ways {
		cost := make(map[board]int)
		share := shares(parts, emptyBoard(n), func(b board) []board {
			if b.full() || b.free == 0 {
				return nil
			}
			placed, others := b.place()
			return []board{placed, others}
		}, func(b board) int {
			if cost[b] == 0 {
				cost[b] = boards(b)
			}
			return cost[b]
		})
		return ways{
			serial: func() int { return queens(emptyBoard(n)) },
			join:   func() int { return joinedQueens(sweetspot.NewJoiner(), emptyBoard(n)) },
			halves: func(part int) (sum int) {
				for _, b := range share[part] {
					sum += queens(b)
				}
				return sum
			},
		}
	}}
}
