// Package ants has the face of the package of that name.
package ants

type Pool struct{ size int }

func NewPool(size int) (*Pool, error) { return &Pool{size}, nil }

func (p *Pool) Submit(task func()) error { task(); return nil }

func NewPoolWithFunc(size int, f func(any)) (*Pool, error) { return &Pool{size}, nil }
