package humanize

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Time is a length of time on a command line: the value of a flag. It implements
// the Value interface of package flag and that of pflag.
type Time time.Duration

// Set reads s, which [ParseTime] describes.
func (t *Time) Set(s string) error {
	d, err := ParseTime(s)
	if err == nil {
		*t = Time(d)
	}
	return err
}

// String returns "0" for none, which help leaves out.
func (t *Time) String() string {
	if *t == 0 {
		return "0"
	}
	return time.Duration(*t).String()
}

// Type returns what help calls the value.
func (t *Time) Type() string { return "TIME" }

// ParseTime reads a length of time: a number of seconds, as timeout(1) and sleep(1)
// take it, or Go's spelling, also with days.
func ParseTime(s string) (time.Duration, error) {
	bad := fmt.Errorf("%q is not a length of time: want 5, 0.5s, 2m, 1d", s)
	seconds := 0.0
	if days, rest, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil {
			return 0, bad
		}
		if seconds, s = n*24*time.Hour.Seconds(), rest; rest == "" {
			s = "0"
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, bad
		}
		n = d.Seconds()
	}
	seconds += n
	if !(seconds >= 0 && seconds < math.MaxInt64/1e9) {
		return 0, bad
	}
	return time.Duration(math.Round(seconds * 1e9)), nil
}
