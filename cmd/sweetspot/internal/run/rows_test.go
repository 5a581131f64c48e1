package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Several values, and what the flags make of them.
func TestExpandRows(t *testing.T) {
	for _, c := range []struct {
		args, row, want string
	}{
		{"-n 9 c", "a b", "c a b"},
		{"-n 9 c x{}y", "a b c", "c xa b cy"},
		{"-n 9 c x{}y{}z", "a b", "c xa bya bz"},
		{"-n 9 c {} {.}", "a.x b.y", "c a.x b.y a b"},
		{"-n 9 c {#}{}", "a b", "c 7a b"},
		{"-n 9 {}", "c a b", "c a b"},
		{"-n 9 c {2}-{1}-{-1}-{3}", "a b", "c b-a-b-"},
		{"-n 9 c {-1/} {2//} {1.} {2/.}", "a.x d/b.y", "c b.y d a b"},
		{"-n 9 c {0} {a} {1a} {1-} {--1} {99999} {1#} {{1}}", "a", "c {0} {a} {1a} {1-} {--1} {99999} {1#} {a}"},
		{"-n 9 -I % c % {} {1}", "a b", "c a b {} a"},
		{"-I {=v=} c x{=v=}", "a", "c xa"},
		{"-X c x{}y", "a b", "c xay xby"},
		{"-X c {}-{.}-{#}", "a.x b.y", "c a.x-a-7 b.y-b-7"},
		{"-X c {1}", "a b", "c a"},
		{"-L 2 c x{}y", "a b", "c xay xby"},
		{"-L 2 -m c x{}y", "a b", "c xa by"},
		{"-n 0 c x {#}{%}", "", "c x 73"},
		{"-C , c {%}", "a b", "c 3"},
		{"c {1} {1.} {-1/} x{2} {2}y", "d/a.x", "c d/a.x d/a a.x x{2} {2}y"},
		{"-C , c {3}", "a b", "c "},
		{"c ::: a ::: b", "a b", "c a b"},
	} {
		got, err := run.ExpandRow(strings.Fields(c.args), strings.Fields(c.row), 7, 3)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s with %s: %q, %v, want %s", c.args, c.row, got, err, c.want)
		}
	}
}

func TestPlaceholdersRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-n 2 c {3}":        "{3}: a job has 2 values: want {1} to {2}",
		"-n 2 c {-3/.}":     "{-3/.}: a job has 2 values",
		"c {3} ::: a ::: b": "{3}: a job has 2 values",
		"c {3}":             "{3}: a job has one value: want {} or {1}; --colsep",
		"c {} {-2/.}":       "{-2/.}: a job has one value",
		"-I % c {2}":        "{2}: a job has one value: want % or {1}",
		"-n 0 c {}":         "{}: with -n 0",
		"-n 0 c x{/}":       "{/}: with -n 0",
		"-n 0 -I % c %":     "%: with -n 0",
		"-n 0 c {1}":        "{1}: with -n 0",
		"-L 2 -c {3}":       "{3}: a job has 2 values",
		"-n 2 -c {/.}":      "want {1/.}, {2/.} and so on",
		"-X -c {}":          "want -m",
	} {
		if got, err := run.ExpandRow(strings.Fields(args), []string{"a"}, 1, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v, want %s", args, got, err, want)
		}
	}
}

// What length says is what the command grows by, so that a full command is full
// and not longer.
func TestLength(t *testing.T) {
	for _, args := range []string{"-m c", "-m c {}", "-m c {} {}", "-X c x{}y", "-X c {}-{}", "-m c {1} {}", "-m -c {}"} {
		size := func(row ...string) int {
			got, err := run.ExpandRow(strings.Fields(args), row, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, w := range got {
				n += len(w) + run.PerArgument
			}
			return n
		}
		by, err := run.LengthOf(strings.Fields(args), 5)
		if err != nil {
			t.Fatal(err)
		}
		if grown := size("1", "2", "12345") - size("1", "2"); by < grown || by > grown+run.PerArgument*2 {
			t.Errorf("%s: a value of 5 bytes takes %d, and length says %d", args, grown, by)
		}
	}
}

// FuzzRows checks what holds for every word and row: without -X, the words of
// the values are there in their order and nothing is lost.
func FuzzRows(f *testing.F) {
	f.Add("x{}y", "a", "b", "c")
	f.Add("{1}{}{#}", "", "{}", "{2}")
	f.Fuzz(func(t *testing.T, word, a, b, c string) {
		if strings.HasPrefix(word, ":::") {
			return // a list
		}
		row := []string{a, b, c}
		got, err := run.ExpandRow([]string{"-n", "3", "cmd", word}, row, 1, 1)
		if err != nil {
			return
		}
		all, n := strings.Join(got[1:], ""), strings.Count(word, "{}")
		for _, v := range row {
			if strings.Count(all, v) < n {
				t.Fatalf("%q with %q: %q", word, row, got)
			}
		}
		if !strings.ContainsAny(word, "{}") && (got[1] != word || !slices.Equal(got[2:], row)) {
			t.Fatalf("%q with %q: %q", word, row, got)
		}
	})
}
