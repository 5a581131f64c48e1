package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseNumbers returns the numbers of a list such as "1,2,16", in ascending order, each once.
func ParseNumbers(list string) ([]int, error) {
	var ns []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > 1<<20 {
			return nil, fmt.Errorf("%q: want numbers from 1 to %d with commas between them", s, 1<<20)
		}
		ns = append(ns, n)
	}
	slices.Sort(ns)
	return slices.Compact(ns), nil
}
