package run

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// A status draws the status line: what is done, how fast, with how many jobs at
// a time and why, and when it will end.
type status struct {
	console *console
	faint   bool // the reason may be set apart by colour
}

// newStatus returns the status of a console that has a status line, and nil otherwise.
func newStatus(c *console, getenv func(string) string) *status {
	if c.line == nil {
		return nil
	}
	return &status{console: c, faint: getenv("NO_COLOR") == ""}
}

// A moment is what the status line tells.
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

func (s *status) draw(m moment) {
	s.console.status(s.compose(m, s.console.line.Width()))
}

// compose returns the line, cut to a width.
func (s *status) compose(m moment, width int) string {
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
	if s.faint {
		why = "\x1b[2m" + why + "\x1b[22m"
	}
	return line + ": " + why
}
