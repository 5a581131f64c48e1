package simcmd

import (
	"fmt"
	"slices"
	"strings"
)

// pick returns those of all scenarios that have the given names, in the order of the
// names; all for none.
func pick[T any](all []T, name func(T) string, names []string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, x := range all {
		known = append(known, name(x))
	}
	var picked []T
	for _, want := range names {
		i := slices.Index(known, strings.TrimSpace(want))
		if i < 0 {
			return nil, fmt.Errorf("no scenario %q: want one of %s", want, strings.Join(known, ", "))
		}
		picked = append(picked, all[i])
	}
	return picked, nil
}
