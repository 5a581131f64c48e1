package run

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A moment is what the status line tells: what is done, how fast, with how many jobs at
// a time and why, and when it will end.
type moment struct {
	done, failed int64
	total        int64 // 0 if not known
	open         bool  // there may be more than total: the list has not ended
	elapsed      time.Duration
	rate         float64 // jobs per second, of late
	stats        sweetspot.Stats
	why          string
	fixed        bool
}

// line returns the status line, cut to a width. The reason is set apart if faint.
func (m moment) line(width int, faint bool) string {
	var b strings.Builder
	b.WriteString(humanize.Grouped(m.done))
	if m.total > 0 {
		b.WriteString("/" + humanize.Grouped(m.total))
		if m.open {
			b.WriteByte('+')
		}
	}
	b.WriteString(" jobs")
	if m.failed > 0 {
		fmt.Fprintf(&b, ", %s failed", humanize.Grouped(m.failed))
	}
	fmt.Fprintf(&b, " | %s/s", figure(m.rate))
	if left := m.total - m.done; m.total > 0 && left > 0 && m.rate > 0 {
		more := ""
		if m.open {
			more = " or more"
		}
		fmt.Fprintf(&b, " | %s%s left", seconds(float64(left)/m.rate), more)
	} else {
		fmt.Fprintf(&b, " | %s", seconds(m.elapsed.Seconds()))
	}
	fmt.Fprintf(&b, " | %d of %d at a time", m.stats.InFlight, m.stats.Limit)
	line := humanize.Clip(b.String(), width)
	why := m.why
	if m.fixed && why == "" {
		why = "fixed by -j"
	}
	room := width - utf8.RuneCountInString(line) - 2
	if why == "" || room < 10 {
		return line
	}
	why = humanize.Clip(why, room)
	if faint {
		why = "\x1b[2m" + why + "\x1b[22m"
	}
	return line + ": " + why
}
