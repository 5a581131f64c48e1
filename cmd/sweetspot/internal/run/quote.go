package run

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoteCommand returns argv as a POSIX shell would have to be given it, for
// people and for pasting: -v, --dry-run and messages.
func quoteCommand(argv []string) string { return joined(argv, quoteWord) }

func joined(argv []string, quote func(word string) string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = quote(w)
	}
	return strings.Join(words, " ")
}

func quoteWord(w string) string {
	if w != "" && strings.IndexFunc(w, needsQuote) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// needsQuote reports whether a shell might read more into r than itself. What
// is not known to be harmless is quoted.
func needsQuote(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("%+,-./:@_", r)
}

// showCommand returns argv as quoteCommand does, but with no control character, for
// terminals: those of a word could move the cursor, change the colours or worse. Such
// words are in $'...', which bash, zsh and ksh read.
func showCommand(argv []string) string {
	return joined(argv, func(w string) string {
		if hasControls(w) {
			return "$'" + escape(w, `\'`) + "'"
		}
		return quoteWord(w)
	})
}

// visible returns a message without the control characters that it may have from a
// value, but for the ends of its lines.
func visible(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if hasControls(l) {
			lines[i] = escape(l, "")
		}
	}
	return strings.Join(lines, "\n")
}

// hasControls reports whether s holds what a terminal could obey: control characters,
// and bytes that are no text, which some take for such.
func hasControls(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl)
}

// escape returns s with all that replaced as in C, and with a backslash before each of
// some other characters.
func escape(s, others string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && n == 1, unicode.IsControl(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			if strings.ContainsRune(others, r) {
				b.WriteByte('\\')
			}
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}
