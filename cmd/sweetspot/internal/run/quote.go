package run

import "strings"

// quoteCommand returns argv as a POSIX shell would have to be given it, for
// people and for pasting: -v, --dry-run and messages.
func quoteCommand(argv []string) string {
	var b strings.Builder
	for i, w := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoteWord(w))
	}
	return b.String()
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
