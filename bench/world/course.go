package main

import (
	"fmt"
	"io"
	"strings"
)

// A second is one of an automatic run.
type second struct {
	Rate  float64 `json:"rate"`  // units/s
	Limit float64 `json:"limit"` // mean
}

// bySecond returns the whole seconds of a trace.
func (t trace) bySecond() []second {
	var all []second
	for from := 0.0; from+1 <= t.seconds(); from++ {
		all = append(all, second{t.rate(from, from+1), t.limit(from, from+1)})
	}
	return all
}

// course writes an automatic run by second: its share of what it is compared with,
// how many seconds at that rate it has lost so far, its mean limit, and what was decided.
// The Limiter keeps the newest 256 decisions: of a long run the first ones are
// missing. Decisions after the last whole second are left out.
func (s *sample) course(out io.Writer, yardstick float64) {
	fmt.Fprintf(out, "\n%s, round %d, by second\n%4s  %7s  %6s  %6s  %s\n", s.Work, s.Round, "s", "of best", "lost", "limit", "decisions")
	lost := 0.0
	for i, x := range s.Auto.Seconds {
		share := x.Rate / yardstick
		lost += 1 - share
		var reasons []string
		for _, c := range s.Auto.Changes {
			if int(c.At) == i {
				reasons = append(reasons, c.Reason)
			}
		}
		line := fmt.Sprintf("%4d  %7.3f  %6.2f  %6.1f  %s", i, share, lost, x.Limit, strings.Join(reasons, " | "))
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}
