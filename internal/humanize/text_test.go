package humanize_test

import (
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"  one  two\nthree ", 7, []string{"one two", "three"}},
		{"ääää bbbb", 9, []string{"ääää bbbb"}},
		{"longer than that", 3, []string{"longer", "than", "that"}},
	} {
		if got := humanize.Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöüß", 4, "äöüß"}, {"abc", 0, "…"}} {
		if got := humanize.Clip(c.text, c.width); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
