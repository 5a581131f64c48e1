package lab

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// printTo prints what a reader at a terminal wants to know.
func printTo(w io.Writer, f *figures.File) error {
	var b strings.Builder
	m := f.Machine
	fmt.Fprintf(&b, "%s, %s, %s/%s, %s; %s, %s, %.0f s\n", cmp.Or(m.Model, "unknown CPU"), humanize.Count(m.CPUs, "CPUs"), m.OS, m.Arch, m.Go, f.Run.Scale, humanize.Count(f.Run.Rounds, "rounds"), f.Run.Seconds)
	for _, e := range f.Experiments {
		fmt.Fprintf(&b, "\n%s  %s\n", e.ID, e.Title)
		printRow(&b, "claim", e.Claim)
		printRow(&b, "size", strings.Join(append([]string{fmt.Sprintf("%s (article: %s)", e.SizeHere, e.SizeArticle)}, sizes(&e)...), "\n"))
		if e.Error != "" {
			printRow(&b, "FAILED", e.Error)
			continue
		}
		printRow(&b, "here", e.Effect.Words()+": "+e.Verdict)
		if o := e.Ours; o != nil {
			ours := fmt.Sprintf("%s: %s, %s times as good as %s (%s to %s)", o.Label, humanize.Format(o.Y, o.Unit), humanize.Number(o.Ratio), o.Best, humanize.Number(o.Low), humanize.Number(o.High))
			if o.Avoids != "" {
				ours += "; not counted: " + o.Avoids
			}
			printRow(&b, "ours", ours)
		}
		printRow(&b, "why", e.WhyUntold)
		printRow(&b, "short", e.WhyShort)
		for _, n := range e.Notes {
			printRow(&b, "note", n)
		}
		printRow(&b, "further", e.Further)
	}
	if len(f.Experiments) > 1 {
		c := f.Count()
		fmt.Fprintf(&b, "\n%d %s here what the article says, %d %s not, %d %s undecided at this size, and %d %s\n",
			c.Shown, verb(c.Shown, "shows", "show"), c.Absent, verb(c.Absent, "does", "do"), c.Untold, verb(c.Untold, "is", "are"),
			c.Baselines, verb(c.Baselines, "is a baseline", "are baselines"))
		fmt.Fprintf(&b, "ours is better in %d, worse in %d, and no different beyond the noise in %d; in %d it is not the same work\n",
			c.Ahead, c.Behind, c.Level, c.Other)
		if len(c.Failed) > 0 {
			fmt.Fprintf(&b, "FAILED: %s\n", strings.Join(c.Failed, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sizes lists the points that did another amount of work than the experiment has,
// in a line for each amount.
func sizes(e *figures.Experiment) []string {
	var sizes []string
	line, last := map[string]string{}, map[string]string{} // by size; the last label
	for i := range e.Points {
		p := &e.Points[i]
		switch {
		case p.Size == "":
			continue
		case line[p.Size] == "":
			sizes = append(sizes, p.Size)
			line[p.Size] = p.Size + ": " + at(e, p)
		case p.Label == last[p.Size]: // of a line over the axis the places alone
			line[p.Size] += fmt.Sprintf(" %g", p.X)
		default:
			line[p.Size] += "; " + at(e, p)
		}
		last[p.Size] = p.Label
	}
	return each(sizes, func(size string) string { return line[size] })
}

// at returns a point's label, with its place if it has one on the axis, whose name
// would be too much in a list.
func at(e *figures.Experiment, p *figures.Point) string {
	if e.Axis.Name == "" || p.X == 0 {
		return p.Label
	}
	return fmt.Sprintf("%s at %g", p.Label, p.X)
}

// verb returns the form of a verb for n.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// printRow prints a row under an experiment, in lines that are pleasant to read.
func printRow(b *strings.Builder, name, text string) {
	const width, indent = 100, 13
	if text == "" {
		return
	}
	before := fmt.Sprintf("    %-8s ", name)
	for para := range strings.SplitSeq(text, "\n") {
		for _, line := range humanize.Wrap(para, width-indent) {
			b.WriteString(before + line + "\n")
			before = fmt.Sprintf("%*s", indent, "")
		}
	}
}
