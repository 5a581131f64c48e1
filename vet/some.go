package vet

import (
	"go/ast"
	"iter"
)

// some reports whether one of a sequence fits.
func some[T any](all iter.Seq[T], fits func(T) bool) bool {
	for one := range all {
		if fits(one) {
			return true
		}
	}
	return false
}

// contains reports whether n, or a node below it, is a T that fits.
func contains[T ast.Node](n ast.Node, fits func(T) bool) bool {
	return some(ast.Preorder(n), func(n ast.Node) bool {
		t, ok := n.(T)
		return ok && fits(t)
	})
}
