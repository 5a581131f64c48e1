package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/sweetspot-go/sweetspot"
)

// A tree has values and, at random, far more nodes on one side than the other.
type tree struct {
	left, right *tree
	value, size int
}

func grow(random *rand.Rand, n int) *tree {
	if n == 0 {
		return nil
	}
	// The square of a uniform number is small more often than not.
	x := random.Float64()
	left := int(float64(n-1) * x * x)
	t := &tree{value: random.IntN(100), size: n}
	t.left, t.right = grow(random, left), grow(random, n-1-left)
	return t
}

func treeSum(t *tree) int {
	if t == nil {
		return 0
	}
	return t.value + treeSum(t.left) + treeSum(t.right)
}

func joinedTreeSum(j *sweetspot.Joiner, t *tree) int {
	if t == nil {
		return 0
	}
	a, b := sweetspot.JoinSerial(j, joinedTreeSum, treeSum, t.left, t.right)
	return t.value + a + b
}

func (t *tree) nodes() int {
	if t == nil {
		return 0
	}
	return t.size
}

func summing(n int) recursion {
	return recursion{name: fmt.Sprintf("sum of a tree of %d nodes", n), set: func(parts int) ways {
		root := grow(rand.New(rand.NewPCG(3, 4)), n)
		above := 0 // the values of nodes that were split
		share := shares(parts, root, func(t *tree) []*tree {
			if t == nil {
				return nil
			}
			above += t.value
			return []*tree{t.left, t.right}
		}, (*tree).nodes)
		return ways{
			serial: func() int { return treeSum(root) },
			join:   func() int { return joinedTreeSum(sweetspot.NewJoiner(), root) },
			halves: func(part int) (sum int) {
				for _, t := range share[part] {
					sum += treeSum(t)
				}
				if part == 0 {
					sum += above
				}
				return sum
			},
		}
	}}
}
