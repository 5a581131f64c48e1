// Package seeds reads lists of seeds from command lines.
package seeds

import (
	"fmt"
	"strconv"
	"strings"
)

// most bounds a list of seeds, so that a slip such as 1-1000000000 says so
// at once.
const most = 10_000

// Parse reads a list of numbers and ranges: 1-10 or 3,5,7-9.
func Parse(s string) ([]uint64, error) {
	var seeds []uint64
	seen := map[uint64]bool{}
	for _, part := range strings.Split(s, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.ParseUint(from, 10, 63)
		b := a
		if err == nil && isRange {
			b, err = strconv.ParseUint(to, 10, 63)
		}
		if err != nil || b < a {
			return nil, fmt.Errorf("%q: want numbers and ranges, such as 1-10 or 3,5,7-9", s)
		}
		if b-a >= most || len(seeds)+int(b-a) >= most {
			return nil, fmt.Errorf("%q: at most %d seeds", s, most)
		}
		for x := a; x <= b; x++ {
			if seen[x] {
				return nil, fmt.Errorf("%q: seed %d is there twice", s, x)
			}
			seen[x] = true
			seeds = append(seeds, x)
		}
	}
	return seeds, nil
}
