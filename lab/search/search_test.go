package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/lab/search"
)

// texts are files in memory, by path.
type texts map[string]func() io.Reader

func (m texts) open(_ context.Context, path string) (io.ReadCloser, error) {
	if open, ok := m[path]; ok {
		return io.NopCloser(open()), nil
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
}

func text(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }

// byteByByte reads as a slow pipe does.
func byteByByte(s string) func() io.Reader {
	return func() io.Reader { return &dripping{strings.NewReader(s)} }
}

type dripping struct{ r io.Reader }

func (d *dripping) Read(p []byte) (int, error) { return d.r.Read(p[:min(len(p), 7)]) }

func newSearcher(t testing.TB, o search.Options) *search.Searcher {
	t.Helper()
	s, err := search.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runFiles searches files and returns what is written.
func runFiles(t testing.TB, o search.Options, files ...string) (string, search.Counts) {
	t.Helper()
	var out strings.Builder
	c, err := newSearcher(t, o).RunFiles(t.Context(), slices.Values(files), &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), c
}

func TestModesAndBinary(t *testing.T) {
	m := texts{
		"a": text("one\ntwo\nthree two"), "empty": text(""), "bin": text("two\n\x00\ntwo\x00two\n"),
		"late": text(strings.Repeat("filler\n", 20_000) + "two\n" + strings.Repeat("filler\n", 20_000) + "\x00two\n"), "drip": byteByByte("1\n2 two\n3\n"),
	}
	q := search.Query{Pattern: "two"}
	all := []string{"a", "empty", "bin", "late", "drip"}
	for _, test := range []struct {
		o    search.Options
		want string
	}{
		{search.Options{}, "a:two\na:three two\nbin: binary file matches\nlate:two\nlate: binary file matches\ndrip:2 two\n"},
		{search.Options{LineNumbers: true, Binary: search.Skip}, "a:2:two\na:3:three two\nlate:20001:two\ndrip:2:2 two\n"},
		{search.Options{NoFilename: true, Binary: search.Skip}, "two\nthree two\ntwo\n2 two\n"},
		{search.Options{Mode: search.Names}, "a\nbin\nlate\ndrip\n"},
		{search.Options{Mode: search.Numbers}, "a:2\nempty:0\nbin:3\nlate:2\ndrip:1\n"},
		{search.Options{Mode: search.Numbers, NoFilename: true}, "2\n0\n3\n2\n1\n"},
		{search.Options{Binary: search.AsText}, "a:two\na:three two\nbin:two\nbin:two\x00two\nlate:two\nlate:\x00two\ndrip:2 two\n"},
	} {
		o := test.o
		o.Query, o.Open = q, m.open
		if got, _ := runFiles(t, o, all...); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.o, got, test.want)
		}
	}
}

// Whatever the pattern: the lines that a plain loop over them finds.
func TestPatterns(t *testing.T) {
	body := "foo bar\nFOO\n\nfoo_bar foo\nx=foo;\n\tfoo\r\nSKipped ſ\nKelvin \u212a\nlast \xff\xfe end\nfunc (x *T) Foo() error {\nbar"
	for _, q := range []search.Query{
		{Pattern: "foo"}, {Pattern: "foo", Word: true}, {Pattern: "^foo"}, {Pattern: "bar$"}, {Pattern: "^$"}, {Pattern: "x*"}, {Pattern: ""}, {Pattern: "$"}, {Pattern: "^"},
		{Pattern: "foo\nbar"}, {Pattern: "foo", IgnoreCase: true}, {Pattern: "sk", IgnoreCase: true}, {Pattern: "k", IgnoreCase: true},
		{Pattern: `\s`}, {Pattern: `[^a-z]`}, {Pattern: `o\W`}, {Pattern: `(?s)o.b`}, {Pattern: `\Afoo`}, {Pattern: `foo\z`}, {Pattern: `o\n`},
		{Pattern: `fo{2,3}`}, {Pattern: `(?:foo|bar)$`}, {Pattern: `\bfoo\b`}, {Pattern: `f(o+)\s+b`}, {Pattern: `func .*error`},
		{Pattern: "(", Fixed: true}, {Pattern: ".", Fixed: true}, {Pattern: "\xff", Fixed: true}, {Pattern: "o;", Fixed: true, Word: true},
		{Pattern: "o()", Fixed: true, IgnoreCase: true}, {Pattern: "foo\nbar", Fixed: true}, {Pattern: "", Fixed: true}, {Pattern: "kelvin k", Fixed: true, IgnoreCase: true},
	} {
		want := byLine(q, body)
		for name, open := range map[string]func() io.Reader{"whole": text(body), "drip": byteByByte(body)} {
			o := search.Options{Query: q, NoFilename: true, Open: texts{name: open}.open}
			if got, _ := runFiles(t, o, name); got != want {
				t.Errorf("%s %+v: got %q, want %q", name, q, got, want)
			}
		}
	}
}

// byLine is the plain loop.
func byLine(q search.Query, body string) string {
	var expr []string
	for p := range strings.SplitSeq(q.Pattern, "\n") {
		if q.Fixed {
			var b strings.Builder
			for i := range len(p) { // no valid UTF-8 is needed
				fmt.Fprintf(&b, `\x{%02x}`, p[i])
			}
			p = b.String()
			if utf8 := regexp.QuoteMeta(q.Pattern); !strings.Contains(q.Pattern, "\xff") && !strings.Contains(q.Pattern, "\n") {
				p = utf8
			}
		}
		expr = append(expr, "(?:"+p+")")
	}
	pattern := strings.Join(expr, "|")
	if q.IgnoreCase {
		pattern = "(?i:" + pattern + ")"
	}
	if q.Word {
		pattern = `(?:^|[^\pL\pN_])(?:` + pattern + `)(?:$|[^\pL\pN_])`
	}
	re := regexp.MustCompile(pattern)
	var out strings.Builder
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		matches := re.MatchString(line)
		if q.Pattern == "\xff" {
			matches = strings.Contains(line, "\xff")
		}
		if matches {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

func FuzzQuery(f *testing.F) {
	f.Add("a.b", "aab\nxab\n\n", false, false)
	f.Add("[^x]", "x\nx", true, true)
	f.Fuzz(func(t *testing.T, pattern, body string, ignoreCase, word bool) {
		if strings.Contains(pattern, "\n") || strings.Contains(body, "\x00") || len(pattern) > 50 {
			return
		}
		if _, err := regexp.Compile(pattern); err != nil {
			return
		}
		q := search.Query{Pattern: pattern, IgnoreCase: ignoreCase, Word: word}
		got, _ := runFiles(t, search.Options{Query: q, NoFilename: true, Open: texts{"f": text(body)}.open}, "f")
		if want := byLine(q, body); got != want {
			t.Errorf("%+v in %q: got %q, want %q", q, body, got, want)
		}
	})
}

func TestPatternErrors(t *testing.T) {
	for _, q := range []search.Query{{Pattern: "("}, {Pattern: "a)(b"}, {Pattern: "a\n["}, {Pattern: "\xff", Fixed: true, Word: true}} {
		if _, err := search.New(search.Options{Query: q}); err == nil || !strings.Contains(err.Error(), "not a regular expression") {
			t.Errorf("%+v: error %v, want one that says it is not a regular expression", q, err)
		}
	}
}

// Files that take any time, any number at a time: the order is that of the tree.
func TestOrder(t *testing.T) {
	for _, limit := range []sweetspot.Option{nil, sweetspot.Fixed(1), sweetspot.Fixed(7), sweetspot.New()} {
		synctest.Test(t, func(t *testing.T) {
			const n = 500
			m := texts{}
			var names []string
			var want strings.Builder
			for i := range n {
				name := fmt.Sprint(i)
				names = append(names, name)
				m[name] = text("x" + name + "\n")
				fmt.Fprintf(&want, "%d:x%d\n", i, i)
			}
			var now, most atomic.Int64
			o := search.Options{Query: search.Query{Pattern: "x"}, Limit: limit, Open: func(ctx context.Context, path string) (io.ReadCloser, error) {
				most.Store(max(most.Load(), now.Add(1)))
				time.Sleep(time.Duration(len(path)*7%5) * time.Millisecond)
				now.Add(-1)
				return m.open(ctx, path)
			}}
			got, c := runFiles(t, o, names...)
			if got != want.String() || c.Files != n || c.Matched != n || c.Lines != n || c.Failed != 0 {
				t.Errorf("limit %v: out of order, or lost: %d bytes of %d, %+v", limit, len(got), want.Len(), c)
			}
			if limit == sweetspot.Fixed(1) && most.Load() != 1 || limit == sweetspot.Fixed(7) && most.Load() > 7 {
				t.Errorf("%v: %d at a time", limit, most.Load())
			}
		})
	}
}

// large yields lines of 100 bytes that all match, for ever.
type large struct{ left int }

func (l *large) Read(p []byte) (int, error) {
	if l.left == 0 {
		return 0, io.EOF
	}
	line := []byte("x" + strings.Repeat("-", 98) + "\n")
	n := 0
	for len(p)-n >= len(line) && l.left > 0 {
		n += copy(p[n:], line)
		l.left--
	}
	if n == 0 { // no room for a line: a bit of one would do as well
		panic("a buffer of less than a line")
	}
	return n, nil
}

// counter counts lines, by the file they come from, and sees whether the files
// come one after the other.
type counter struct {
	lines  map[byte]int
	order  []byte
	broken bool
}

func (c *counter) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if line[len(line)-1] != '\n' || len(line) != 102 {
			c.broken = true
		}
		if c.lines[line[0]]++; c.lines[line[0]] == 1 {
			c.order = append(c.order, line[0])
		} else if c.order[len(c.order)-1] != line[0] {
			c.broken = true
		}
	}
	return len(p), nil
}

// Output of any size passes through, in order, and is not kept.
func TestLargeOutput(t *testing.T) {
	const lines = 200_000 // 20 MB each
	m := texts{}
	var names []string
	for _, name := range "abc" {
		names = append(names, string(name))
		m[string(name)] = func() io.Reader { return &large{lines} }
	}
	for _, limit := range []sweetspot.Option{nil, sweetspot.Fixed(4)} {
		out := counter{lines: map[byte]int{}}
		s := newSearcher(t, search.Options{Query: search.Query{Pattern: "x"}, Open: m.open, Limit: limit})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := s.RunFiles(t.Context(), slices.Values(names), &out)
		runtime.ReadMemStats(&after)
		if err != nil || out.broken || string(out.order) != "abc" || c.Lines != lines*3 {
			t.Errorf("limit %v: %v, %+v, order %q, broken %v", limit, err, c, out.order, out.broken)
		}
		// 60 MB have passed. Three files may have had their share, grown by doubling.
		if got := after.TotalAlloc - before.TotalAlloc; got > 25<<20 {
			t.Errorf("limit %v: %d MB allocated for 60 MB of output", limit, got>>20)
		}
	}
}

// Unordered, large files may come in any order, but no line is torn.
func TestLargeOutputUnordered(t *testing.T) {
	const lines = 20_000
	m := texts{}
	var names []string
	for _, name := range "abcdef" {
		names = append(names, string(name))
		m[string(name)] = func() io.Reader { return &large{lines} }
	}
	var out bytes.Buffer
	s := newSearcher(t, search.Options{Query: search.Query{Pattern: "x"}, Open: m.open, Limit: sweetspot.Fixed(4), Unordered: true})
	c, err := s.RunFiles(t.Context(), slices.Values(names), &out)
	if err != nil || c.Lines != lines*6 {
		t.Fatalf("%v, %+v", err, c)
	}
	n := 0
	for line := range bytes.Lines(out.Bytes()) {
		n++
		if len(line) != 102 || line[1] != ':' || line[2] != 'x' {
			t.Fatalf("a torn line: %q", line)
		}
	}
	if n != lines*6 {
		t.Errorf("%d lines, want %d", n, lines*6)
	}
}

func TestLongLines(t *testing.T) {
	long := func(n int) string { return strings.Repeat("-", n) + "x" + strings.Repeat("-", n) }
	m := texts{
		"a": text(long(1<<20) + "\nx\n"), "b": text("y\n" + long(3<<20)), "c": text(long(70_000) + "\n" + long(70_000)),
		"d": func() io.Reader { return io.LimitReader(endless{}, 70<<20) }, "e": text("x\n"),
	}
	for _, limit := range []sweetspot.Option{nil, sweetspot.Fixed(3)} {
		var reported []string
		o := search.Options{Query: search.Query{Pattern: "x"}, Open: m.open, Limit: limit, LineNumbers: true, Report: func(err error) { reported = append(reported, err.Error()) }}
		got, c := runFiles(t, o, "a", "b", "c", "d", "e")
		want := "a:1:" + long(1<<20) + "\na:2:x\nb:2:" + long(3<<20) + "\nc:1:" + long(70_000) + "\nc:2:" + long(70_000) + "\ne:1:x\n"
		if got != want {
			t.Errorf("limit %v: %d bytes, want %d", limit, len(got), len(want))
		}
		if len(reported) != 1 || !strings.Contains(reported[0], "search d: a line has more than 64 MB") || c.Failed != 1 || c.Files != 4 {
			t.Errorf("limit %v: reported %q, %+v", limit, reported, c)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '-'
	}
	return len(p), nil
}

// What cannot be read is reported in its place, and the rest goes on.
func TestUnreadable(t *testing.T) {
	broken := errors.New("the disk is broken")
	m := texts{"a": text("x\n"), "c": func() io.Reader { return io.MultiReader(strings.NewReader("x\n"), failing{broken}) }, "d": text("x\n")}
	var reported []error
	o := search.Options{Query: search.Query{Pattern: "x"}, Open: m.open, Report: func(err error) { reported = append(reported, err) }}
	got, c := runFiles(t, o, "a", "b", "c", "d")
	if want := "a:x\nc:x\nd:x\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(reported) != 2 || !errors.Is(reported[0], os.ErrNotExist) || !errors.Is(reported[1], broken) || c.Failed != 2 || c.Files != 2 || c.Lines != 3 {
		t.Errorf("reported %v, %+v", reported, c)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "x\n"})
	s := newSearcher(t, search.Options{Query: search.Query{Pattern: "x"}, Tree: search.Tree{Roots: []string{filepath.Join(dir, "gone"), dir}}})
	if c, err := s.Run(t.Context(), io.Discard); err != nil || c.Failed != 1 || c.Lines != 1 {
		t.Errorf("%v, %+v", err, c)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Cancelled at any point, nothing goes on, be it that files wait for their turn.
// The bubble ends only if no goroutine is left.
func TestCancel(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, 4 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			cause := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(cause) })
			o := search.Options{Query: search.Query{Pattern: "x"}, Limit: sweetspot.Fixed(4), Open: func(ctx context.Context, path string) (io.ReadCloser, error) {
				select {
				case <-time.After(time.Millisecond):
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
				return io.NopCloser(&large{12_000}), nil
			}}
			_, err := newSearcher(t, o).RunFiles(ctx, forEver, io.Discard)
			if !errors.Is(err, cause) {
				t.Errorf("cancelled after %v: error %v, want the cause", after, err)
			}
		})
	}
}

func forEver(yield func(string) bool) {
	for yield("f") {
	}
}

var _ iter.Seq[string] = forEver

// A writer that fails ends the search.
func TestWriteError(t *testing.T) {
	full := errors.New("the disk is full")
	for _, lines := range []int{1, 100_000} { // as a result, and while a file is read
		o := search.Options{Query: search.Query{Pattern: "x"}, Open: func(context.Context, string) (io.ReadCloser, error) { return io.NopCloser(&large{lines}), nil }}
		_, err := newSearcher(t, o).RunFiles(t.Context(), forEver, failingWriter{full})
		if !errors.Is(err, full) {
			t.Errorf("%d lines: error %v, want %v", lines, err, full)
		}
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
