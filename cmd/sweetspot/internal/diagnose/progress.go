package diagnose

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// A progress tells on one line of a terminal what is being recorded. On what is no
// terminal it is silent.
type progress struct {
	w       io.Writer
	columns int // of the terminal; 0 if w is none
	width   int // printed last
}

func progressTo(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.columns = 80
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			p.columns = columns
		}
	}
	return p
}

func (p *progress) show(done, all int, what string) {
	if p.columns == 0 {
		return
	}
	line := []rune(fmt.Sprintf("%d of %d: %s", done+1, all, what))
	line = line[:min(len(line), p.columns-1)] // a longer one would begin a line that stays
	fmt.Fprintf(p.w, "\r%-*s", p.width, string(line))
	p.width = len(line)
}

// clear removes the line.
func (p *progress) clear() {
	if p.columns > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
}
