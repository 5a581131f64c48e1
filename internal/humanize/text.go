package humanize

import (
	"strings"
	"unicode/utf8"
)

// Wrap cuts text into lines of at most width columns, between words.
func Wrap(text string, width int) []string {
	var lines []string
	line, n := "", 0
	for w := range strings.FieldsSeq(text) {
		m := utf8.RuneCountInString(w)
		if n > 0 && n+1+m > width {
			lines, line, n = append(lines, line), "", 0
		}
		if n > 0 {
			line, n = line+" ", n+1
		}
		line, n = line+w, n+m
	}
	return append(lines, line)
}

// Clip cuts s to width columns. An ellipsis marks the cut.
func Clip(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	r := []rune(s)
	return string(r[:max(width-1, 0)]) + "…"
}
