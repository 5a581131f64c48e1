package run

import (
	"fmt"
	"strconv"
	"strings"
)

type statusesFlag []int

func (f *statusesFlag) Set(s string) error {
	var list statusesFlag
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 8)
		if err != nil || n == 0 {
			return fmt.Errorf("%q is not a list of exit statuses: want numbers from 1 to 255, such as 75 or 69,75", s)
		}
		list = append(list, int(n))
	}
	*f = list
	return nil
}
