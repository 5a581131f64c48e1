package run

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// timeoutFlag is the value of --timeout: a length of time, or a percentage of
// the median run time of the jobs that succeeded. The zero value is none.
type timeoutFlag struct {
	text    string
	fixed   time.Duration
	percent float64
}

func (t *timeoutFlag) Set(s string) error {
	v := timeoutFlag{text: s}
	if digits, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(n > 0) || math.IsInf(n, 0) {
			return fmt.Errorf("%q is not a percentage of the median run time: want more than 0%%, such as 300%%", s)
		}
		v.percent = n
		*t = v
		return nil
	}
	d, err := humanize.ParseTime(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a length of time: want 10, 0.5s, 2m, 1h30m, 1d, or a percentage of the median run time such as 300%%", s)
	}
	v.fixed = d
	*t = v
	return nil
}

// shortestPercent is the least that a percentage comes to: on a busy machine a
// job of some milliseconds that waits for a CPU takes many times its median.
const shortestPercent = time.Second

// limit returns the timeout in force, given the run times of the jobs that succeeded.
func (t *timeoutFlag) limit(past *runtimes) time.Duration {
	if t.percent == 0 {
		return cmp.Or(t.fixed, never)
	}
	if median, ok := past.median(); ok {
		return max(shortestPercent, time.Duration(min(t.percent/100*float64(median), math.MaxInt64/2)))
	}
	return never
}

// never is the timeout where there is none, or none yet.
const never = time.Duration(math.MaxInt64)
