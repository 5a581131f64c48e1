package lab

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// progress tells on one line how far the measurement is and how long it will
// take. On what is no terminal it prints a line for each round.
type progress struct {
	w       io.Writer
	columns int // of the terminal; 0 if w is none
	width   int // printed last
	told    int // round
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
			if s.e.rounds > 0 {
				of = min(of, s.e.rounds)
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
	case p.columns > 0:
		line := fmt.Sprintf("round %d of %d: %d of %d%s, %s %s", round+1, rounds, i+1, len(subjects), left, s.e.id, s.p.label)
		if runes := []rune(line); len(runes) >= p.columns {
			line = string(runes[:p.columns-1]) // a longer one would begin a line that stays
		}
		fmt.Fprintf(p.w, "\r%-*s", p.width, line)
		p.width = utf8.RuneCountInString(line)
	case p.told <= round:
		p.told = round + 1
		fmt.Fprintf(p.w, "round %d of %d%s\n", round+1, rounds, left)
	}
}

// clear removes the line.
func (p *progress) clear() {
	if p != nil && p.columns > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	}
}
