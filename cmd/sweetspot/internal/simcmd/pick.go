package simcmd

import (
	"fmt"
	"strings"
)

// pick returns those of all that have the given names, in the order of the names;
// all for none. what is the word for one of them.
func pick[T any](what string, all []T, name func(T) string, names []string) ([]T, error) {
	if len(names) == 0 {
		return all, nil
	}
	var picked []T
	for _, want := range names {
		found := false
		for _, x := range all {
			if name(x) == strings.TrimSpace(want) {
				found = true
				picked = append(picked, x)
			}
		}
		if !found {
			return nil, fmt.Errorf("no %s %q: want one of %s", what, want, strings.Join(namesOf(all, name), ", "))
		}
	}
	return picked, nil
}

func namesOf[T any](all []T, name func(T) string) []string {
	var names []string
	for _, x := range all {
		names = append(names, name(x))
	}
	return names
}
