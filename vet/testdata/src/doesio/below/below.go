// Package below is what package doesio calls.
package below

import "time"

func Nap() { time.Sleep(time.Second) } // want Nap:"doesIO"

func Sum(s []int) (sum int) {
	for _, v := range s {
		sum += v
	}
	return sum
}

type Stack[T any] struct{ s []T }

func (s *Stack[T]) Push(v T) { s.s = append(s.s, v) }

func (s *Stack[T]) Slow(v T) { // want Slow:"doesIO"
	Nap()
	s.Push(v)
}
