package main

import (
	"context"
	"slices"

	"github.com/sweetspot-go/sweetspot"
)

const (
	rowLength = 100 // entries in each row
	rowGrain  = 100 // rows, theirs
)

func sparse() problem {
	return problem{"sparse-mxv", "a sparse matrix times a vector", []int{10_000_000, 1_000_000}, func(n int) solutions {
		matrix, vector := newMatrix(n)
		return compare(slices.Equal, func(form int) []float64 {
			if form == ours {
				out, err := sweetspot.Map(context.Background(), matrix, func(_ context.Context, row []entry) (float64, error) {
					return dot(row, vector), nil
				})
				must(err)
				return out
			}
			out := make([]float64, len(matrix))
			loop(context.Background(), form, rowGrain, len(matrix), func(lo, hi int) {
				for i, row := range matrix[lo:hi] {
					out[lo+i] = dot(row, vector)
				}
			})
			return out
		})
	}}
}

// An entry is one number of a row that is not 0.
type entry struct {
	column int
	value  float64
}

// newMatrix returns a square matrix with n entries at random columns, and a vector.
func newMatrix(n int) (matrix [][]entry, vector []float64) {
	rows := n / rowLength
	matrix, vector = make([][]entry, rows), make([]float64, rows)
	for i := range matrix {
		vector[i] = 1
		matrix[i] = make([]entry, rowLength)
		for j := range matrix[i] {
			matrix[i][j] = entry{int(hash(uint64(i*rowLength+j)) % uint64(rows)), 1}
		}
	}
	return matrix, vector
}

//go:noinline
func dot(row []entry, vector []float64) (sum float64) {
	for _, e := range row {
		sum += e.value * vector[e.column]
	}
	return sum
}
