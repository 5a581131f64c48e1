package run_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// rows returns all rows of an input, with bars between their values.
func rows(in run.Input) (all []string, err error) {
	for {
		row, err := in.Next(context.Background())
		if err != nil {
			return all, err
		}
		all = append(all, strings.Join(row, "|"))
	}
}

func TestInput(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"c ::: a b", "a b"},
		{"c :::", ""},
		{"c ::: a b ::: 1 2", "a|1 a|2 b|1 b|2"},
		{"c ::: a b ::: 1 2 3 ::: x", "a|1|x a|2|x a|3|x b|1|x b|2|x b|3|x"},
		{"c ::: a b ::: 1 2 ::: x y", "a|1|x a|1|y a|2|x a|2|y b|1|x b|1|y b|2|x b|2|y"},
		{"c ::: a ::: ::: x", ""},
		{"c ::: a b c :::+ 1 2", "a|1 b|2"},
		{"c ::: a :::+ 1 2", "a|1"},
		{"c ::: a b :::+ 1 2 :::+ x y ::: 8 9", "a|1|x|8 a|1|x|9 b|2|y|8 b|2|y|9"},
		{"c ::: 8 9 ::: a b :::+ 1 2", "8|a|1 8|b|2 9|a|1 9|b|2"},
		{"--link c ::: a b c ::: 1 2", "a|1 b|2 c|1"},
		{"--link c ::: a ::: 1 2 3 4 ::: x y z", "a|1|x a|2|y a|3|z a|4|x"},
		{"--link c ::: a b", "a b"},
		{"--link c ::: :::", ""},
		{"-n 2 c ::: 1 2 3 4 5", "1|2 3|4 5"},
		{"-n 9 c ::: 1 2", "1|2"},
		{"-n 2 c :::", ""},
		{"-n 0 c ::: 1 2", " "},
		{"-n 0 -E 3 c ::: 1 2 3 4", " "},
		{"-n 0 --trim lr c ::: 1 2 3", "  "},
		{"-n 0 --csv c ::: 1,2 3,4 5", "  "},
		{"-n 0 --header : c ::: h 1 2", " "},
		{"-m c ::: 1 2 3", "1|2|3"},
		{"-X -n 2 c ::: 1 2 3", "1|2 3"},
		{"-C , c ::: a,b c ,", "a|b c |"},
		{"-C , -n 2 c ::: a,b c d,e", "a|b|c d|e"},
		{"-C - c ::: A-B C-D ::: e-f g-h", "A|B|e|f A|B|g|h C|D|e|f C|D|g|h"},
		{"-C x+ c ::: axxbxc", "a|b|c"},
		{"-L 2 c ::: 1 2 3", "1|2 3"},
	} {
		in, err := run.InputOf(t.Context(), strings.Fields(c.args))
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		total, counted := in.Count(t.Context())
		got, err := rows(in)
		if err != io.EOF || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %s", c.args, got, err, c.want)
		}
		if seen, ended := in.Seen(); seen != int64(len(got)) || !ended {
			t.Errorf("%s: %d jobs seen, %v, want %d", c.args, seen, ended, len(got))
		}
		empty := strings.Contains(c.args, "::: :::") // --link refuses or ends at once
		if counted && total != int64(len(got)) && !empty {
			t.Errorf("%s: %d jobs counted, want %d", c.args, total, len(got))
		}
		if _, err := in.Next(t.Context()); err != io.EOF {
			t.Errorf("%s: after the end: %v", c.args, err)
		}
	}
}

// Lists may be of any length: what is compared is the n-th value of each.
func TestLinkedLengths(t *testing.T) {
	for a := 1; a < 5; a++ {
		for b := 1; b < 5; b++ {
			for c := 1; c < 5; c++ {
				lists := [][]string{slices.Repeat([]string{"-"}, a), slices.Repeat([]string{"-"}, b), slices.Repeat([]string{"-"}, c)}
				args := []string{"--link", "c"}
				for i := range lists {
					args = append(args, ":::")
					for j := range lists[i] {
						lists[i][j] = string(rune('a'+i)) + string(rune('0'+j))
					}
					args = append(args, lists[i]...)
				}
				in, err := run.InputOf(t.Context(), args)
				if err != nil {
					t.Fatal(err)
				}
				var want []string
				for i := range max(a, b, c) {
					want = append(want, lists[0][i%a]+"|"+lists[1][i%b]+"|"+lists[2][i%c])
				}
				if got, err := rows(in); err != io.EOF || !slices.Equal(got, want) {
					t.Errorf("%v: %q, %v, want %q", args, got, err, want)
				}
			}
		}
	}
}

// Rows are kept by those who got them.
func TestRowsStay(t *testing.T) {
	for _, args := range []string{"c ::: 1 2 3", "c ::: 1 2 ::: a b", "--link c ::: 1 2 3 ::: a", "-n 2 c ::: 1 2 3", "-C , c ::: 1,2 3"} {
		in, err := run.InputOf(t.Context(), strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		var all [][]string
		var want []string
		for {
			row, err := in.Next(t.Context())
			if err != nil {
				break
			}
			all, want = append(all, row), append(want, strings.Join(row, "|"))
			_ = append(row, "overwritten")
		}
		for i, row := range all {
			if strings.Join(row, "|") != want[i] {
				t.Errorf("%s: row %d became %q, was %s", args, i, row, want[i])
			}
		}
	}
}

func list(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestContinuedLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a\nb\n", "a,b"},
		{"a \nb\nc\t\n\n \nd\n", "a b,c\td"},
		{"a \n", "a "},
		{" \n\t\n", ""},
		{" \na", "a"},
	} {
		in, err := run.InputOf(t.Context(), []string{"-L", "1", "-a", list(t, c.text), "c"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rows(in); err != io.EOF || strings.Join(got, ",") != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, got, err, c.want)
		}
	}
	in, err := run.InputOf(t.Context(), []string{"-L", "1", "-a", list(t, strings.Repeat(strings.Repeat("x", 1000)+" \n", 200)), "c"})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rows(in); err == nil || len(got) > 0 || !strings.Contains(err.Error(), "which -L joins") {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

// Commands are filled up to a size, and no value is left out on the way.
func TestBundles(t *testing.T) {
	for _, flags := range [][]string{{"-m"}, {"-X"}, {"-n", "1000000"}} {
		text := strings.Repeat("12345678\n", 50_000)
		in, err := run.InputOf(t.Context(), append(flags, "-a", list(t, text), "c"))
		if err != nil {
			t.Fatal(err)
		}
		n, jobs := 0, 0
		for {
			row, err := in.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			size := len(row) * (8 + run.PerArgument)
			n, jobs = n+len(row), jobs+1
			if size > run.BundleSize || n < 50_000 && size+8+run.PerArgument <= run.BundleSize {
				t.Errorf("%v: job %d has %d bytes, want just below %d", flags, jobs, size, run.BundleSize)
			}
		}
		if n != 50_000 {
			t.Errorf("%v: %d values, want 50000", flags, n)
		}
	}
}

// The jobs are counted ahead as they will be made, also where a command has no room for as many
// values as -n says.
func TestCountOfBundles(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	half := strings.Repeat("x", run.BundleSize/2-run.PerArgument)
	for name, c := range map[string]struct {
		args []string
		text string
		jobs int
	}{
		"short":           {[]string{"-n", "2", "c"}, "a\nb\nc\n", 2},
		"fewer than -n":   {[]string{"-n", "1000000", "c"}, "a\nb\nc\n", 1},
		"long":            {[]string{"-n", "3", "c"}, strings.Repeat(long+"\n", 3), 3},
		"long at the end": {[]string{"-n", "2", "c"}, "a\n" + long + "\n" + long, 2},
		"just room":       {[]string{"-n", "2", "c"}, half + "\n" + half + "\n", 1},
		"used twice":      {[]string{"-n", "2", "c", "{}", "{}"}, half + "\n" + half + "\n", 2},
		"columns":         {[]string{"-n", "2", "-C", ",", "c"}, "a,b\nc,d\n", 1},
		"many columns":    {[]string{"-n", "2", "-C", ",", "c"}, strings.Repeat(strings.Repeat(",", 9000)+"\n", 2), 2},
		"without values":  {[]string{"-n", "0", "c"}, long + "\n" + long + "\n", 2},
	} {
		for from, args := range map[string][]string{
			"a file":     append([]string{"-a", list(t, c.text)}, c.args...),
			"the values": append(append(slices.Clone(c.args), ":::"), strings.Fields(c.text)...),
		} {
			in, err := run.InputOf(t.Context(), args)
			if err != nil {
				t.Fatal(err)
			}
			total, counted := in.Count(t.Context())
			got, err := rows(in)
			if err != io.EOF || len(got) != c.jobs {
				t.Errorf("%s from %s: %d jobs, %v, want %d", name, from, len(got), err, c.jobs)
			}
			if !counted || total != int64(c.jobs) {
				t.Errorf("%s from %s: %d jobs counted, %v, want %d", name, from, total, counted, c.jobs)
			}
		}
	}
}

// What was read before a bad line still runs, as it does when each job has one
// value.
func TestBundleBeforeAnError(t *testing.T) {
	in, err := run.InputOf(t.Context(), []string{"-n", "10", "-a", list(t, "a\nb\nc\x00\n"), "c"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := rows(in)
	if !slices.Equal(got, []string{"a|b"}) || err == nil || !strings.Contains(err.Error(), "line 3 holds a NUL byte") {
		t.Errorf("%q, %v", got, err)
	}
}

// A list that must be held and does not end is refused before it fills the
// memory; as the first one it is fine.
func TestHeldLists(t *testing.T) {
	for name, make := range map[string]func(ctx context.Context, lists ...io.Reader) run.Input{
		"product": run.Product, "links": run.Links,
	} {
		in := make(t.Context(), strings.NewReader("a\nb\n"), &endless{})
		if name == "links" {
			in = make(t.Context(), &endless{}, &endless{})
		}
		var err error
		for err == nil {
			_, err = in.Next(t.Context())
		}
		if !strings.Contains(err.Error(), "give the longest list first") {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := run.Product(t.Context(), &endless{}, strings.NewReader("a\nb\n"))
	for range 100_000 {
		if _, err := in.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInputErrors(t *testing.T) {
	missing, empty := filepath.Join(t.TempDir(), "missing"), list(t, "")
	for _, args := range [][]string{
		{"c", "::::", missing},
		{"c", "::::", missing, list(t, "a\n")},
		{"c", "::::", list(t, "a\n"), missing},
		{"c", ":::", "a", "::::+", missing},
		{"c", "::::", empty, missing},
		{"c", "::::", missing, empty},
		{"c", ":::", "a", "::::", empty, missing},
		{"c", "::::", empty, "::::+", missing},
		{"--link", "c", ":::", "a", "::::", missing},
		{"--link", "c", "::::", empty, missing},
		{"-n", "2", "-a", missing, "c"},
		{"-L", "2", "-a", missing, "c"},
		{"-C", ",", "-a", missing, "c"},
	} {
		in, err := run.InputOf(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rows(in); len(got) > 0 || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: %q, %v", args, got, err)
		}
	}
}

// An empty list leaves nothing to combine, so the lines of another are not waited for.
func TestEmptyListWaitsForNone(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // which ends a wait
	for _, args := range []string{"c ::: :::: -", "c ::: ::::+ -", "c ::: a ::: :::: -"} {
		in, err := run.InputOf(t.Context(), strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Next(ctx); err != io.EOF {
			t.Errorf("%s: %v, want the end", args, err)
		}
	}
}

// A wait for any list ends with the context.
func TestCombinedInputStops(t *testing.T) {
	for _, make := range []func(context.Context, ...io.Reader) run.Input{run.Product, run.Links} {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		in := make(ctx, strings.NewReader("a\n"), r)
		cancel(why)
		if _, err := in.Next(ctx); err != why && err != context.Canceled {
			t.Errorf("error %v, want %v", err, why)
		}
		w.Close()
	}
}

// FuzzLists compares all combinations with nested loops.
func FuzzLists(f *testing.F) {
	f.Add("a b", "1", "x y z")
	f.Add("", "1", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var words [3][]string
		args := []string{"c"}
		for i, s := range []string{a, b, c} {
			words[i] = strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })
			if slices.ContainsFunc(words[i], func(w string) bool { return strings.HasPrefix(w, "::") }) {
				return
			}
			args = append(append(args, ":::"), words[i]...)
		}
		if len(words[0])*len(words[1])*len(words[2]) > 10_000 {
			return
		}
		var want []string
		for _, x := range words[0] {
			for _, y := range words[1] {
				for _, z := range words[2] {
					want = append(want, x+"|"+y+"|"+z)
				}
			}
		}
		in, err := run.InputOf(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rows(in); err != io.EOF || !slices.Equal(got, want) {
			t.Fatalf("%q: %q, %v, want %q", args, got, err, want)
		}
	})
}
