package lab

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
	"github.com/sweetspot-go/sweetspot/internal/statusline"
)

// progress shows on the status line how far the measurement is and how long it will
// take. Outside a terminal it prints a line for each round.
type progress struct {
	w    io.Writer
	line *statusline.Line // nil if w is not a terminal
	told int              // round
}

func progressTo(w io.Writer) *progress {
	return &progress{w: w, line: statusline.On(w, os.Getenv("TERM"), term.GetSize)}
}

// show is called before each sample, the i-th of a round that began with the
// subject start.
func (p *progress) show(round, rounds, i, start int, subjects []*subject) {
	if p == nil {
		return
	}
	turn := func(k int) *subject { return subjects[(start+k)%len(subjects)] }
	s := turn(i)
	left := ""
	if round > 0 { // else nothing is known of what is to come
		rest := time.Duration(0)
		for k := range subjects {
			s := turn(k)
			of := rounds
			if s.turns > 0 {
				of = min(of, s.turns)
			}
			still := of - round
			if k < i {
				still--
			}
			rest += time.Duration(max(0, still)) * s.took
		}
		left = fmt.Sprintf(", about %v left", rest.Round(time.Second))
	}
	switch {
	case p.line != nil:
		line := fmt.Sprintf("round %d of %d: %d of %d%s, %s %s", round+1, rounds, i+1, len(subjects), left, s.e.id, s.p.label)
		p.line.Show(humanize.Clip(line, p.line.Width()))
	case p.told <= round:
		p.told = round + 1
		fmt.Fprintf(p.w, "round %d of %d%s\n", round+1, rounds, left)
	}
}

func (p *progress) clear() {
	if p != nil {
		p.line.Clear()
	}
}
