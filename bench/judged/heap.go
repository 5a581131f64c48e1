package main

// A heap keeps the first of its elements in front. Unlike container/heap it does not
// allocate for each.
type heap[T interface{ Before(T) bool }] []T

func (h *heap[T]) push(x T) {
	a := append(*h, x)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.Before(a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = x
	*h = a
}

func (h *heap[T]) pop() T {
	var none T
	a := *h
	n := len(a) - 1
	first, x := a[0], a[n]
	a[n] = none
	a = a[:n]
	*h = a
	i := 0
	for 2*i+1 < n {
		down := 2*i + 1
		if down+1 < n && a[down+1].Before(a[down]) {
			down++
		}
		if !a[down].Before(x) {
			break
		}
		a[i] = a[down]
		i = down
	}
	if n > 0 {
		a[i] = x
	}
	return first
}
