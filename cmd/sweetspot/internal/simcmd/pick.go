package simcmd

import (
	"fmt"
	"slices"
	"strings"
)

// pick returns those of all scenarios that have the given names, in the order of the
// names; all for nil.
func pick[T any](all []T, name func(T) string, names []string) ([]T, error) {
	if names == nil {
		return all, nil
	}
	var known []string
	for _, x := range all {
		known = append(known, name(x))
	}
	var picked []T
	seen := map[int]bool{}
	for _, want := range names {
		i := slices.Index(known, strings.TrimSpace(want))
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q: want one of %s", want, strings.Join(known, ", "))
		}
		if seen[i] {
			return nil, fmt.Errorf("scenario %q is given twice", known[i])
		}
		seen[i] = true
		picked = append(picked, all[i])
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("no scenario: want some of %s", strings.Join(known, ", "))
	}
	return picked, nil
}
