package lab_test

import (
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/sweetspot-go/sweetspot/lab"
)

// A verdict is an answer of two lines at most. What else there is to say stands
// below, in sentences.
func TestVerdictsAreShort(t *testing.T) {
	for _, id := range lab.IDs() {
		for _, scale := range []string{quick, full} {
			v := judged(t, id, scale, runtime.GOMAXPROCS(0), nil)
			if n := utf8.RuneCountInString(v.Words); n > 210 {
				t.Errorf("%s at %s: the verdict has %d characters: %s", id, scale, n, v.Words)
			}
			if first, _ := utf8.DecodeRuneInString(v.Words); unicode.IsUpper(first) && !strings.HasPrefix(v.Words, "Do") && !strings.HasPrefix(v.Words, "Parallel") && !strings.HasPrefix(v.Words, "Go ") || strings.HasSuffix(v.Words, ".") {
				t.Errorf("%s at %s: the verdict follows a colon, and yet is a sentence: %s", id, scale, v.Words)
			}
			for _, n := range v.Notes {
				if first, _ := utf8.DecodeRuneInString(n); unicode.IsLower(first) || !strings.HasSuffix(n, ".") {
					t.Errorf("%s at %s: a note is not a sentence: %s", id, scale, n)
				}
			}
		}
	}
}
