package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/sweetspot-go/sweetspot"
)

// A status draws the status line: what is done, how fast, with how many jobs at
// a time and why, and when it will end.
type status struct {
	console *console
	width   func() int
	faint   bool // the reason may be set apart by colour
}

// newStatus returns a status for a terminal, and nil for anything else: nothing
// of ours goes into a file or a pipe. A terminal that cannot erase a line
// (TERM=dumb) gets none either.
func newStatus(c *console, stderr io.Writer, getenv func(string) string) *status {
	f, ok := stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || getenv("TERM") == "dumb" {
		return nil
	}
	return &status{
		console: c,
		faint:   getenv("NO_COLOR") == "",
		width: func() int {
			w, _, err := term.GetSize(int(f.Fd()))
			if err != nil || w < 20 {
				return 80
			}
			return w
		},
	}
}

// A moment is what the status line tells.
type moment struct {
	done, failed int64
	total        int64 // 0 if not known
	elapsed      time.Duration
	rate         float64 // jobs per second, of late
	stats        sweetspot.Stats
	why          string
	fixed        bool
}

// draw shows m.
func (s *status) draw(m moment) {
	// The last column stays free: some terminals wrap when it is written.
	s.console.status(s.compose(m, s.width()-1))
}

// compose returns the line, cut to a width.
func (s *status) compose(m moment, width int) string {
	var b strings.Builder
	b.WriteString(thousands(m.done))
	if m.total > 0 {
		b.WriteString("/" + thousands(m.total))
	}
	b.WriteString(" jobs")
	if m.failed > 0 {
		fmt.Fprintf(&b, ", %s failed", thousands(m.failed))
	}
	fmt.Fprintf(&b, " | %s/s", figure(m.rate))
	if left := m.total - m.done; m.total > 0 && left > 0 && m.rate > 0 {
		fmt.Fprintf(&b, " | %s left", seconds(float64(left)/m.rate))
	} else {
		fmt.Fprintf(&b, " | %s", seconds(m.elapsed.Seconds()))
	}
	fmt.Fprintf(&b, " | %d of %d at a time", m.stats.InFlight, m.stats.Limit)
	line := clip(b.String(), width)
	why := m.why
	if m.fixed && why == "" {
		why = "fixed by -j"
	}
	room := width - utf8.RuneCountInString(line) - 2
	if why == "" || room < 10 {
		return line
	}
	why = clip(why, room)
	if s.faint {
		why = "\x1b[2m" + why + "\x1b[22m"
	}
	return line + ": " + why
}

// clip cuts s to so many characters. What is cut off is marked.
func clip(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	r := []rune(s)
	return string(r[:max(width-1, 0)]) + "…"
}
