package lab

import (
	"fmt"
	"io"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/figures"
)

// printTo prints what a reader at a terminal wants to know.
func printTo(w io.Writer, f *figures.File) error {
	var b strings.Builder
	m := f.Machine
	fmt.Fprintf(&b, "%s, %d CPUs, %s/%s, %s; %s, %d rounds, %.0f s\n", m.Model, m.CPUs, m.OS, m.Arch, m.Go, f.Run.Scale, f.Run.Rounds, f.Run.Seconds)
	for _, e := range f.Experiments {
		fmt.Fprintf(&b, "\n%s  %s\n", e.ID, e.Title)
		row := func(name, text string) {
			if text != "" {
				fmt.Fprintf(&b, "    %-8s %s\n", name, text)
			}
		}
		row("claim", e.Claim)
		row("size", fmt.Sprintf("%s (article: %s)", e.SizeHere, e.SizeArticle))
		if e.Error != "" {
			row("FAILED", e.Error)
			continue
		}
		holds := "shows here"
		if !e.Holds {
			holds = "does not show here"
		}
		row("here", holds+": "+e.Verdict)
		if o := e.Ours; o != nil {
			row("ours", fmt.Sprintf("%s: %s, %s times as good as %s (%s to %s)", o.Label, figures.Format(o.Y, o.Unit), three(o.Ratio), o.Best, three(o.Low), three(o.High)))
		}
		for _, n := range e.Notes {
			row("note", n)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
