//go:build unix

package run_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/usage"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

var (
	randomRuns = flag.Int("runs", 60, "how many random runs to make")
	randomSeed = flag.Uint64("seed", 0, "the seed of the first random run; 0 is by the clock")
)

// TestRandomRuns makes runs with random flags and random lists. Each must end with
// the right work or with an error that says what is wrong: what would be run is
// what a dry run prints, what was run is in the joblog, and the jobs print what
// they were given.
func TestRandomRuns(t *testing.T) {
	seed := *randomSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	refused := 0
	for i := range *randomRuns {
		r := newRandomRun(t, seed+uint64(i))
		if !r.check(t) {
			t.Fatalf("repeat with -args -runs 1 -seed %d", seed+uint64(i))
		}
		if r.refused {
			refused++
		}
	}
	t.Logf("%d runs from seed %d, of which %d were refused", *randomRuns, seed, refused)
}

// A randomRun is a command line and what the run reads.
type randomRun struct {
	*rand.Rand
	dir     string
	flags   []string
	words   []string // of the command, and lists behind it
	stdin   []byte
	pipe    bool
	shell   bool
	ordered bool
	tagged  bool
	lines   bool // --line-buffer
	plain   bool // a job for each line
	refused bool
}

func newRandomRun(t *testing.T, seed uint64) *randomRun {
	r := &randomRun{Rand: rand.New(rand.NewPCG(seed, 0)), dir: t.TempDir()}
	r.stdin = r.list()
	r.write(t, "list", r.list())
	r.write(t, "number", []byte("2\n"))
	maybe := func(odds int, f func()) {
		if r.IntN(odds) == 0 {
			f()
		}
	}
	add := func(words ...string) { r.flags = append(r.flags, words...) }
	file := func(name string) string { return filepath.Join(r.dir, name) }
	maybe(2, func() {
		add("-j", r.good("1", "2", "3", "auto", "0", "50%", "+1", "-1", file("number")).or("x", "", "1e9"))
	})
	maybe(8, func() { add("--max", r.good("1", "3").or("0", "99999999999")) })
	maybe(8, func() { add("--min", r.good("1").or("-1", "9")) })
	maybe(12, func() { add("--law", r.good("step", "vegas", "aimd:2").or("nonsense")) })
	maybe(12, func() { add("--delay", r.good("0", "1ms").or("-1", "x")) })
	maybe(12, func() { add("--load", r.good("100000", "100000%").or("")) })
	maybe(12, func() { add("--memfree", r.good("1", "1M").or("lots")) })
	maybe(2, func() { r.ordered = true; add("-k") })
	maybe(8, func() { r.tagged = true; add("--tag") })
	maybe(8, func() { r.lines = true; add("--line-buffer") })
	maybe(6, func() { add("--results", file("results")) })
	maybe(8, func() { add("--retries", r.good("1", "3").or("-1")) })
	maybe(8, func() { add("--timeout", r.good("600", "1000000000%").or("0", "%")) })
	maybe(8, func() { add("--halt", r.good("never", "soon,fail=100%", "now,fail=1000").or("sometimes")) })
	maybe(8, func() { add(r.good("-v", "--explain", "-r", "--grace=1").or("--grace=-1")) })
	maybe(8, func() { add("--json", file("json")) })
	kinds := []func(){
		func() { add("-0") },
		func() { add("-d", r.good(",", "\n", `\x00`, "ab").or(`\`, "")) },
		func() { add("-n", r.good("1", "2", "0", "1000").or("-1")) },
		func() { add("-L", r.good("1", "2").or("0")) },
		func() { add(r.one("-m", "-X")) },
		func() { add("-C", r.good(",", " +").or("(", "")) },
		func() { add("--trim", r.good("n", "l", "lr").or("x")) },
		func() { add("--link") },
		func() { add("-N", r.good("1", "2").or("0")) },
		func() {
			// Each byte may be a record, and each record a job.
			r.pipe, r.stdin = true, r.stdin[:min(len(r.stdin), 100)]
			r.write(t, "list", r.stdin)
			add("--pipe")
			maybe(2, func() { add("--block", r.good("1", "10", "64K").or("-1", "3T")) })
			maybe(4, func() { add("--recend", r.good(",", "", `\n`).or(`\q`)) })
			maybe(4, func() { add("--recstart", r.one(",", "", "a")) })
		},
	}
	switch r.IntN(8) {
	case 0:
		kinds[r.IntN(len(kinds))]()
		fallthrough
	case 1, 2, 3, 4:
		kinds[r.IntN(len(kinds))]()
	default:
		r.plain = true
	}
	maybe(6, func() { add("-a", r.good(file("list"), "-", os.DevNull).or(file("missing"), r.dir)) })
	mark := "{}"
	maybe(8, func() { mark = r.good("@", "@@").or(""); add("-I", mark) })

	switch {
	case r.pipe:
		r.words = []string{"cat"}
	case r.IntN(3) == 0:
		r.shell = true
		add("-c", `printf '<%s>\n' `+mark)
	default:
		r.words = append([]string{"printf", `<%s>\n`}, r.some(mark, mark+mark, "a"+mark, "{.}", "{/}", "{//}", "{/.}", "{#}", "{1}", r.good("{-1}").or("{2}"))...)
	}
	for !r.pipe && r.IntN(4) == 0 || r.IntN(100) == 0 {
		r.plain = false
		r.words = append(append(r.words, r.good(":::").or(":::+")), r.some("a", "b c", "", "-rf", "'", "\xff", "{}", "x\ny")...)
	}
	return r
}

func (r *randomRun) write(t *testing.T, name string, text []byte) {
	if err := os.WriteFile(filepath.Join(r.dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// one returns one of the words.
func (r *randomRun) one(words ...string) string { return words[r.IntN(len(words))] }

// good is one of the words, which or replaces by a bad one now and then.
func (r *randomRun) good(words ...string) choice { return choice{r, r.one(words...)} }

type choice struct {
	*randomRun
	word string
}

func (c choice) or(bad ...string) string {
	if c.IntN(20) == 0 {
		return c.one(bad...)
	}
	return c.word
}

// some returns up to 3 of the words.
func (r *randomRun) some(words ...string) []string {
	var s []string
	for range r.IntN(4) {
		s = append(s, r.one(words...))
	}
	return s
}

// list returns what may stand in a file, and is not long.
func (r *randomRun) list() []byte {
	var b strings.Builder
	for range r.IntN(8) {
		b.WriteString(r.one("", "a", "a b", "b,c,", " ", "\t", "'\"", `\`, "$(touch PWNED)", "\xff\xfe", "ü", "-n", "{}{#}", "x/y.z", "ab", strings.Repeat("x", 1+r.IntN(3000))))
		b.WriteString(r.one("\n", "\n", "\n", "\n", "\r\n", ",", "", "\n\n"))
		if r.IntN(60) == 0 {
			b.WriteString(r.one("\x00", strings.Repeat("y", 1<<20), strings.Repeat("z", run.MaxValue)))
		}
	}
	return []byte(b.String())
}

// check makes the run and reports whether all is right.
func (r *randomRun) check(t *testing.T) bool {
	log := filepath.Join(r.dir, "log")
	var args []string
	fail := func(format string, a ...any) bool {
		t.Errorf("%q with %.300q:\n%s", args, r.stdin, fmt.Sprintf(format, a...))
		return false
	}
	args = slices.Concat([]string{"--dry-run"}, r.flags, []string{"--"}, r.words)
	planned, _, err := r.run(t, args)
	if r.refused = err != nil; r.refused && !understandable(err) {
		return fail("the error %q does not say what is wrong", err)
	}
	args = slices.Concat([]string{"--joblog", log}, r.flags, []string{"--"}, r.words)
	printed, said, rerr := r.run(t, args)
	code := 255
	if e, ok := errors.AsType[*exitcode.Error](rerr); ok {
		code = e.Code
	}
	switch {
	case r.refused:
		if rerr == nil {
			return fail("it ran, and dry: %v", err)
		}
		why := errors.New(said + rerr.Error()) // what is wrong with a list was said at once
		return understandable(why) || code <= 101 || fail("the error %q does not say what is wrong", why)
	case rerr != nil && code > 101:
		if strings.Contains(rerr.Error(), "--halt") || strings.Contains(rerr.Error(), "--results") || strings.Contains(rerr.Error(), "--timeout") {
			r.refused = true // what a dry run need not know
			return understandable(rerr)
		}
		return fail("%v, and nothing dry", rerr)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return fail("%v", err)
	}
	var ran []string
	for i, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if i > 0 {
			ran = append(ran, strings.Split(strings.SplitN(l, "\t", 9)[8], "\x00")...)
		}
	}
	want := strings.Split(strings.TrimSuffix(planned, "\n"), "\n")
	if planned == "" {
		want = nil
	}
	slices.Sort(want)
	if slices.Sort(ran); !slices.Equal(ran, want) {
		return fail("ran\n%.2000q\nwant\n%.2000q\nstderr %s", ran, want, said)
	}
	if rerr != nil {
		return strings.Contains(said, "argument list too long") || fail("%v: %s", rerr, said)
	}
	return r.checkOutput(planned, printed, fail)
}

// checkOutput compares what was printed with what the jobs were given.
func (r *randomRun) checkOutput(planned, printed string, fail func(string, ...any) bool) bool {
	var want strings.Builder
	from := r.stdin
	if i := slices.Index(r.flags, "-a"); i >= 0 && r.flags[i+1] != "-" {
		from, _ = os.ReadFile(r.flags[i+1])
	}
	if r.plain {
		lines := slices.DeleteFunc(strings.Split(string(from), "\n"), func(l string) bool { return l == "" })
		if n := len(commands(planned)); n != len(lines) {
			return fail("%d jobs for %d lines", n, len(lines))
		}
	}
	if r.pipe {
		want.Write(from)
		if r.lines && len(from) > 0 {
			return true // a line that ends in the middle gets a newline
		}
	} else {
		for _, argv := range commands(planned) {
			values := argv[2:]
			if r.shell {
				values = argv[4:]
			}
			if len(values) == 0 {
				want.WriteString("<>\n")
			}
			for _, v := range values {
				want.WriteString("<" + v + ">\n")
			}
		}
	}
	if r.tagged {
		return true
	}
	got, all := printed, want.String()
	if !r.ordered {
		got, all = sorted(got), sorted(all)
	}
	return got == all || fail("printed\n%.2000q\nwant\n%.2000q", got, all)
}

func sorted(text string) string {
	bytes := []byte(text)
	slices.Sort(bytes) // of blocks that end within a line there are no lines to sort
	return string(bytes)
}

// understandable reports whether an error is one that a user can understand: it does not
// show what a package says to programmers.
func understandable(err error) bool {
	s := err.Error()
	return s != "" && !strings.Contains(s, "strconv.") && !strings.Contains(s, "invalid syntax") && !strings.Contains(s, "panic")
}

// commands reads what a dry run prints, in which all that is not plain stands in
// single quotes.
func commands(text string) [][]string {
	var all [][]string
	var argv []string
	var word strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			quoted = !quoted
		case !quoted && c == '\\':
			i++
			word.WriteByte(text[i])
		case !quoted && (c == ' ' || c == '\n'):
			argv = append(argv, word.String())
			word.Reset()
			if c == '\n' {
				all, argv = append(all, argv), nil
			}
		default:
			word.WriteByte(c)
		}
	}
	return all
}

// patience is how long a run may take on a busy machine.
const patience = 2 * time.Minute

// run makes a run in this process. One that does not end ends the test.
func (r *randomRun) run(t *testing.T, args []string) (stdout, stderr string, err error) {
	t.Helper()
	hung := time.AfterFunc(patience, func() {
		buf := make([]byte, 1<<20)
		panic(fmt.Sprintf("%q with %.300q does not end\n%s", args, r.stdin, buf[:runtime.Stack(buf, true)]))
	})
	defer hung.Stop()
	var files [3]*os.File
	for i, name := range []string{"stdin", "stdout", "stderr"} {
		f, err := os.Create(filepath.Join(r.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	if _, err := files[0].Write(r.stdin); err != nil {
		t.Fatal(err)
	}
	if _, err := files[0].Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	stdio := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	os.Stdin, os.Stdout, os.Stderr = files[0], files[1], files[2]
	defer func() { os.Stdin, os.Stdout, os.Stderr = stdio[0], stdio[1], stdio[2] }()
	c := run.Command()
	usage.Install(c)
	c.SetArgs(args)
	c.SetOut(files[1])
	c.SetErr(files[2])
	err = c.Execute()
	var text [2][]byte
	for i, f := range files[1:] {
		if text[i], _ = os.ReadFile(f.Name()); text[i] == nil {
			t.Fatal("nothing to read of what was printed")
		}
	}
	return string(text[0]), string(text[1]), err
}

// FuzzCommandLine: whatever words and whatever list, a dry run ends with a list of
// commands or says what is wrong.
func FuzzCommandLine(f *testing.F) {
	for _, words := range []string{
		"echo {}", "-k -j 3 --tag echo", "-c 'x' {}", "-n 2 -X printf a{}", "--pipe -N 3 cat", "-I % a % ::: b :::+ c :::: /dev/null",
		"--halt now,fail=3% --timeout 10% --retries 0 x", "--delay 1 --load 3% --memfree 1G --nice 3 x", "-C , --trim lr echo {2} {1}", "-j", "--", ":::", "-h", "-kkvv x",
	} {
		f.Add(strings.ReplaceAll(words, " ", "\x00"), []byte("a,b\nc\n\xff\x00"))
	}
	dir := f.TempDir()
	for _, name := range []string{"echo", "printf", "cat", "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			f.Fatal(err)
		}
	}
	f.Setenv("PATH", dir) // a short list to find what may have been meant in
	f.Fuzz(func(t *testing.T, words string, list []byte) {
		r := &randomRun{dir: dir, stdin: list}
		args := append([]string{"--dry-run", "--config="}, strings.Split(words, "\x00")...)
		printed, _, err := r.run(t, args)
		if err != nil && !understandable(err) {
			t.Errorf("%q: the error %q does not say what is wrong", args, err)
		}
		if err == nil && printed != "" && !strings.HasSuffix(printed, "\n") {
			t.Errorf("%q prints %q", args, printed)
		}
	})
}
