package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

var (
	linkPattern    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
)

// Each link to a file of the repository leads there, and to a heading that it has.
func TestLinks(t *testing.T) {
	rerun.Skip(t)
	all := pages(t)
	anchors := map[string]map[string]bool{}
	for _, p := range all {
		anchors[p.path] = headings(p.text)
	}
	found := 0
	for _, p := range all {
		for _, m := range linkPattern.FindAllStringSubmatch(p.text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			found++
			file := p.path
			if target != "" {
				file = path.Join(path.Dir(p.path), target)
			}
			if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: the link %s leads to no file", p.path, m[1])
			} else if anchor != "" && strings.HasSuffix(file, ".md") && !anchors[file][anchor] {
				t.Errorf("%s: the link %s leads to no heading", p.path, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no page has a link")
	}
}

// headings returns the names that GitHub gives to the headings of a text.
func headings(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range headingPattern.FindAllStringSubmatch(text, -1) {
		names[anchorOf(m[1])] = true
	}
	return names
}

// anchorOf returns the name of a heading: its letters, digits, hyphens and
// underlines in lower case, and hyphens for blanks.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

func TestAnchorOf(t *testing.T) {
	for heading, want := range map[string]string{
		"When not to use it": "when-not-to-use-it",
		"`--json FILE`, v1":  "--json-file-v1",
		"Fine search: X(N)":  "fine-search-xn",
	} {
		if got := anchorOf(heading); got != want {
			t.Errorf("%q: got %q, want %q", heading, got, want)
		}
	}
}
