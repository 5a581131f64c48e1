package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func b3() *experiment {
	const label = "local sums, channel"
	return summing("B3", size{64, 2000, 10_000, "million numbers"}, ", which leaves nothing to gain", func(r *results) verdict {
		s := r.speedup(r.at(label, 0), r.at("serial", 0))
		return verdict{
			words:  fmt.Sprintf("local sums are %v as fast as the serial loop, with %s", s, humanize.Count(r.cpus, "CPUs")),
			effect: s.sees(1, slower),
			notes:  []string{"Each sum is a local variable, in a register or on the stack of its goroutine. Stacks lie at least 2 KiB apart, so no two sums share a cache line."},
		}
	}, func() []point {
		return []point{serialSum(), millionsPoint(label, func(limit int64) (int64, error) { return sumByChannel(limit), nil })}
	})
}
