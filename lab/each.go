package lab

import "slices"

// each returns what f makes of all of them.
func each[T, R any](all []T, f func(T) R) []R {
	made := make([]R, len(all))
	for i, v := range all {
		made[i] = f(v)
	}
	return made
}

// concat returns what f makes of all of them, of each several, one after the other.
func concat[T, R any](all []T, f func(T) []R) []R { return slices.Concat(each(all, f)...) }
