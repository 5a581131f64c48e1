package lab

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

func b3() *experiment {
	return &experiment{
		id: "B3", size: size{64, 2000, 10_000, "million numbers"},
		points: func(scale) []point {
			const label = "local sums, channel"
			return []point{
				serialSum(),
				millionsPoint(label, func(limit int64) (int64, error) { return sumByChannel(limit), nil }),
				ourSum(),
			}
		},
		judge: func(r *results) verdict {
			s := r.speedup(r.at("local sums, channel", 0), r.at("serial", 0))
			v := verdict{
				words:  fmt.Sprintf("local sums are %v as fast as the serial loop, with %s", s, humanize.Count(r.cpus, "CPUs")),
				effect: s.sees(1, slower),
				ours:   r.answer(),
				notes:  []string{"Each sum is a local variable, in a register or on the stack of its goroutine. Stacks lie at least 2 KiB apart, so no two sums share a cache line.", loopNote},
			}
			if r.cpus == 1 {
				v.effect = figures.Untold
				v.words += ", which leaves nothing to gain"
			}
			return v
		},
	}
}
