package search

import (
	"bytes"
	"regexp/syntax"
)

// A needle is a text that occurs in every line sought. It is looked for first:
// that goes at many times the speed of a regular expression.
type needle struct {
	text []byte // nil if no such text is known; in lower case if fold
	fold bool   // in capital letters as well
	rare int    // index of the byte of text that is looked for if fold
}

// needed returns the longest text that whatever matches re must contain.
func needed(re *syntax.Regexp) needle {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return needle{text: []byte(string(re.Rune))}
		}
		return foldable(re.Rune)
	case syntax.OpConcat:
		var best needle
		for _, sub := range re.Sub {
			if n := needed(sub); len(n.text) > len(best.text) {
				best = n
			}
		}
		return best
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	}
	return needle{}
}

// foldable returns the longest part of runes whose capital and small letters are
// ASCII. K and S are left out, as the Kelvin sign and the long s also fold to
// them.
func foldable(runes []rune) needle {
	var best, run []byte
	for _, r := range runes {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r >= 0x80 || r == 'k' || r == 's' {
			run = nil
			continue
		}
		run = append(run, byte(r))
		if len(run) > len(best) {
			best = run
		}
	}
	if len(best) == 0 {
		return needle{}
	}
	n := needle{text: best, fold: true}
	for i, b := range best {
		if commonness(b) < commonness(best[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// commonness ranks a byte by how often it is met in program text and prose: the
// rarer the byte, the fewer places have to be looked at twice.
func commonness(b byte) int {
	const commonFirst = " etaoinrlhducmfpgy_.wbv(),x0-1=\"jzq2"
	if i := bytes.IndexByte([]byte(commonFirst), b); i >= 0 {
		return len(commonFirst) - i
	}
	return 0
}

// index returns where n first occurs in text, or -1.
func (n *needle) index(text []byte) int {
	if !n.fold {
		return bytes.Index(text, n.text)
	}
	small := n.text[n.rare]
	large := small
	if 'a' <= small && small <= 'z' {
		large -= 'a' - 'A'
	}
	// The next places of both letters: each is looked for only once it is behind.
	var nextSmall, nextLarge int
	nextSmall = after(text, 0, small)
	nextLarge = len(text)
	if large != small {
		nextLarge = after(text, 0, large)
	}
	for {
		at := min(nextSmall, nextLarge)
		if at == len(text) {
			return -1
		}
		if from := at - n.rare; from >= 0 && from+len(n.text) <= len(text) && n.equal(text[from:]) {
			return from
		}
		if at == nextSmall {
			nextSmall = after(text, at+1, small)
		} else {
			nextLarge = after(text, at+1, large)
		}
	}
}

// after returns where b next occurs in text from at on, or len(text).
func after(text []byte, at int, b byte) int {
	if i := bytes.IndexByte(text[at:], b); i >= 0 {
		return at + i
	}
	return len(text)
}

// equal reports whether text begins with n, in small or capital letters.
func (n *needle) equal(text []byte) bool {
	for i, want := range n.text {
		b := text[i]
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != want {
			return false
		}
	}
	return true
}

// lineAround returns the line of text that holds the byte at, with its line feed.
func lineAround(text []byte, at int) (from, to int) {
	from = bytes.LastIndexByte(text[:at], '\n') + 1
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return from, at + i + 1
	}
	return from, len(text)
}

// trimmed returns line without its line feed.
func trimmed(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[:n-1]
	}
	return line
}
