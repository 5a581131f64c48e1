//go:build !linux

package main

import "errors"

type group struct{}

func newGroup(memory int64) (*group, error) {
	if memory == 0 {
		return nil, nil
	}
	return nil, errors.New("cgroups are Linux's")
}

func allocate(n int) ([]byte, error) { return make([]byte, n), nil }

func (g *group) wrap(argv []string) []string { return argv }
func (g *group) kills() (int, error)         { return 0, nil }
func (g *group) close() error                { return nil }
