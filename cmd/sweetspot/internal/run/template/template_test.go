package template_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		words []string
		val   string
		want  []string
	}{
		{[]string{"echo"}, "a b", []string{"echo", "a b"}},
		{[]string{"echo", "x"}, "", []string{"echo", "x", ""}},
		{[]string{"echo", "{}"}, "v", []string{"echo", "v"}},
		{[]string{"echo", "{}{}", "-{}-"}, "v", []string{"echo", "vv", "-v-"}},
		{[]string{"{}", "--version"}, "sh", []string{"sh", "--version"}},
		{[]string{"c", "", "{}"}, "v", []string{"c", "", "v"}},
		{[]string{"c", "{.}.png"}, "d.x/a.b.jpg", []string{"c", "d.x/a.b.png"}},
		{[]string{"c", "{/}", "{//}", "{/.}", "{#}"}, "d/e/f.tar.gz", []string{"c", "f.tar.gz", "d/e", "f.tar", "7"}},
		{[]string{"c", "{//}"}, "f", []string{"c", "."}},
		{[]string{"c", "{x}", "{ }", "{..}", "{"}, "v", []string{"c", "{x}", "{ }", "{..}", "{", "v"}},
		{[]string{"c", "{}"}, "{} {#} {.}", []string{"c", "{} {#} {.}"}},
		{[]string{"c", "{{}}"}, "v", []string{"c", "{v}"}},
	} {
		if got := template.Expand(c.words, "{}", c.val, 7); !slices.Equal(got, c.want) {
			t.Errorf("Expand(%q, %q) = %q, want %q", c.words, c.val, got, c.want)
		}
	}
}

func TestExpandWithOtherMark(t *testing.T) {
	got := template.Expand([]string{"awk", "{}", "%", "a%b", "{/}"}, "%", "d/v", 1)
	if want := []string{"awk", "{}", "d/v", "ad/vb", "v"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPathsAgreeWithTools(t *testing.T) {
	for _, c := range []struct{ path, dir, base, ext string }{
		{"", ".", "", ""},
		{"a", ".", "a", ""},
		{"a/b", "a", "b", ""},
		{"/a", "/", "a", ""},
		{"/", "/", "/", ""},
		{"///", "/", "/", ""},
		{"a/b//", "a", "b", ""},
		{"a//b", "a", "b", ""},
		{"a.b/c", "a.b", "c", ""},
		{".profile", ".", ".profile", ""},
		{"d/.profile.bak", "d", ".profile.bak", ".bak"},
		{"x.", ".", "x.", "."},
		{"-rf", ".", "-rf", ""},
	} {
		dir, base := template.SplitPath(c.path)
		if dir != c.dir || base != c.base {
			t.Errorf("SplitPath(%q) = %q, %q, want %q, %q", c.path, dir, base, c.dir, c.base)
		}
		if ext := template.Extension(c.path); ext != c.ext {
			t.Errorf("Extension(%q) = %q, want %q", c.path, ext, c.ext)
		}
	}
}

// refused matches words that no job can have here: another value than the first, the number
// of jobs, Perl.
var refused = regexp.MustCompile(`(?s)^\{-?\d+[./]*\}$|\{##\}|\{=.*=\}`)

// FuzzTemplate checks what holds for every word and value: expansion never
// splits or drops a word, a value of {} arrives unchanged, and what is not a
// placeholder is left alone.
func FuzzTemplate(f *testing.F) {
	for _, w := range []string{"", "{}", "{.}", "{//}", "a{}b{#}", "{{}}", "{/.}{/}", "{}}{"} {
		f.Add(w, "d/v.x", "{}")
		f.Add(w, "", "%")
	}
	f.Fuzz(func(t *testing.T, word, val, mark string) {
		if mark == "" {
			return
		}
		got, err := template.TryExpand([]string{"cmd", word, mark}, mark, val, 3)
		if err != nil {
			if !refused.MatchString(word) {
				t.Fatalf("%q: %v", word, err)
			}
			return
		}
		if len(got) != 3 {
			t.Fatalf("%d words of 3: %q", len(got), got)
		}
		if got[2] != val {
			t.Fatalf("%q expands to %q, want %q", mark, got[2], val)
		}
		if !strings.Contains(word, mark) && !strings.Contains(word, "{") && got[1] != word {
			t.Fatalf("%q expands to %q", word, got[1])
		}
		dir, base := template.SplitPath(val)
		if val != "" && path.Clean(dir+"/"+base) != path.Clean(val) {
			t.Fatalf("SplitPath(%q) = %q, %q: not the same file", val, dir, base)
		}
		if !strings.HasSuffix(val, template.Extension(val)) {
			t.Fatalf("Extension(%q) = %q: not its end", val, template.Extension(val))
		}
	})
}
