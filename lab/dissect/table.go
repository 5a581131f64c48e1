package dissect

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// Print prints c for a reader at a terminal.
func (c *Comparison) Print(w io.Writer) error {
	var b strings.Builder
	b.WriteString("of a run, the median and the range of " + humanize.Count(c.Rounds, "recordings") + " of each\n")
	for _, s := range []struct {
		title string
		rows  []Row
	}{
		{"Time", c.Time},
		{"Functions by their own share of the CPU time", c.Functions},
		{"Memory", c.Memory},
		{"Lines that allocate", c.Sites},
		{"Scheduler", c.Scheduler},
		{"Why goroutines blocked", c.Reasons},
	} {
		if len(s.rows) > 0 {
			b.WriteByte('\n')
			c.section(&b, s.title, s.rows)
		}
	}
	c.printEscapes(&b)
	b.WriteString("\nDiffers\n")
	differing := c.Differing()
	for _, r := range differing {
		fmt.Fprintf(&b, "  %s: %s %s with %s, %s with %s%s\n", short(r.Name), amount(r.A.Mid), r.Unit, c.A, amount(r.B.Mid), c.B, r.difference())
	}
	switch {
	case c.Rounds < enough:
		b.WriteString("  undecided: this takes more recordings\n")
	case len(differing) == 0:
		b.WriteString("  nothing: all that is above varies as much from one recording to the next\n")
	}
	for _, n := range c.Notes {
		b.WriteString("  note: " + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// section prints rows with aligned columns.
func (c *Comparison) section(b *strings.Builder, title string, rows []Row) {
	cells := [][]string{{title, "", c.A, "", c.B, "", ""}}
	for _, r := range rows {
		name, mark := "  "+short(r.Name), ""
		if r.Group != "" && r.Group != Own {
			name += " (" + string(r.Group) + ")"
		}
		if r.Differs {
			mark = "differs"
		}
		cells = append(cells, []string{name, r.Unit, amount(r.A.Mid), r.A.extent(), amount(r.B.Mid), r.B.extent(), mark})
	}
	var widths [7]int
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range cells {
		var text strings.Builder
		for i, cell := range line {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 2 || i == 4 { // numbers
				text.WriteString(gap + cell + "  ")
			} else {
				text.WriteString(cell + gap + "  ")
			}
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
}

func (s Spread) extent() string {
	if s.Low == s.High {
		return ""
	}
	return amount(s.Low) + " to " + amount(s.High)
}

// difference prints how the sides compare: by factors where they are far apart.
func (r Row) difference() string {
	d := r.B.Mid - r.A.Mid
	switch {
	case r.A.Mid > 0 && r.B.Mid/r.A.Mid >= 1.1:
		return ": " + amount(r.B.Mid/r.A.Mid) + " times as much"
	case r.B.Mid > 0 && r.A.Mid/r.B.Mid >= 1.1:
		return ": " + amount(r.A.Mid/r.B.Mid) + " times less"
	case d > 0:
		return ": " + amount(d) + " more"
	}
	return ": " + amount(-d) + " less"
}

// short is a name without the directories of its package.
func short(name string) string {
	end := len(name)
	if i := strings.IndexAny(name, "([ "); i >= 0 {
		end = i
	}
	return name[strings.LastIndexByte(name[:end], '/')+1:]
}

func (c *Comparison) printEscapes(b *strings.Builder) {
	if c.Escape == nil {
		return
	}
	if c.Escape.Missing != "" {
		fmt.Fprintf(b, "\nEscape analysis: left out. %s\n", strings.ToUpper(c.Escape.Missing[:1])+c.Escape.Missing[1:])
		return
	}
	fmt.Fprintf(b, "\nEscape analysis of the work (%s), the same for both\n", c.Escape.Compiler)
	for _, e := range c.Escape.Escapes {
		fmt.Fprintf(b, "  %s, %s: %s\n", e.Func, e.Site, e.What)
		for _, why := range e.Why {
			fmt.Fprintf(b, "      since %s\n", why)
		}
	}
	if len(c.Escape.Escapes) == 0 {
		b.WriteString("  nothing goes onto the heap\n")
	}
}

// amount prints three digits, and whole numbers with commas between thousands.
func amount(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 100:
		return humanize.Grouped(int64(math.Round(v)))
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.01:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1g", v)
}
