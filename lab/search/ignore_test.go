package search_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/search"
)

// files returns the paths that a Tree yields, and fails the test if something is
// reported.
func files(t testing.TB, tree search.Tree) []string {
	t.Helper()
	var got []string
	for path := range tree.Files(t.Context(), func(err error) { t.Error(err) }) {
		got = append(got, path)
	}
	return got
}

// write makes files below dir, by their path with slashes and their content.
func write(t testing.TB, dir string, content map[string]string) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// git runs git in dir, which has no settings of the user's.
func git(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "XDG_CONFIG_HOME="+dir)
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err != nil && (args[0] != "check-ignore" || code != 1) {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// notIgnored returns what git does not ignore of the files below dir.
func notIgnored(t testing.TB, dir string) []string {
	t.Helper()
	all := slices.DeleteFunc(files(t, search.Tree{Roots: []string{dir}, NoIgnore: true}), func(path string) bool {
		return strings.HasPrefix(path, filepath.Join(dir, ".git")+string(filepath.Separator))
	})
	var input strings.Builder
	for _, path := range all {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		input.WriteString(filepath.ToSlash(rel) + "\x00")
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(git(t, dir, input.String(), "check-ignore", "--no-index", "-z", "--stdin"), "\x00") {
		ignored[filepath.Join(dir, filepath.FromSlash(name))] = true
	}
	return slices.DeleteFunc(all, func(path string) bool { return ignored[path] })
}

func needGit(t testing.TB) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

func TestIgnoreAsGitDoes(t *testing.T) {
	needGit(t)
	for name, content := range map[string]map[string]string{
		"names, suffixes, directories": {
			".gitignore": "*.o\nbuild/\n/top\nsub/deep\n# comment\n\\#odd\n\\!loud\n",
			"a.o":        "", "a.c": "", "build/x": "", "sub/build": "", "top": "", "sub/top": "",
			"sub/deep": "", "x/sub/deep": "", "#odd": "", "!loud": "", "sub/a.o/x": "",
		},
		"negation": {
			".gitignore": "*\n!*/\n!*.go\nvendor/\n!vendor/keep.go\n",
			"a.go":       "", "a.c": "", "s/b.go": "", "s/b.c": "", "vendor/keep.go": "", "s/vendor/x.go": "",
		},
		"nested files": {
			".gitignore": "*.log\n/only\n", "a.log": "", "s/.gitignore": "!b.log\nlocal\n/here\n", "s/a.log": "", "s/b.log": "",
			"s/t/b.log": "", "local": "", "s/local": "", "s/t/local": "", "s/here": "", "s/t/here": "", "only": "", "s/only": "",
			"s/t/.gitignore": "b.log\n!local\n",
		},
		"everything but one": {
			".gitignore": "/*\n!/src\n/src/*\n!/src/main\n", "a": "", "src/a": "", "src/main/a": "", "src/main/b/c": "", "other/src/x": "",
		},
		"stars": {
			".gitignore": "**/logs\nabc/**\na/**/b\nx/*/y\n**/foo/bar\nm**n\n*.[oa]\n[!a-c]at\nq?z\n", "logs/x": "", "s/logs/x": "", "abc/x": "", "abc/d/x": "",
			"s/abc/x": "", "a/b": "", "a/1/b": "", "a/1/2/b": "", "x/y": "", "x/1/y": "", "x/1/2/y": "", "foo/bar": "", "s/foo/bar": "",
			"mn": "", "mxxn": "", "l.o": "", "l.a": "", "l.c": "", "bat": "", "hat": "", "qaz": "", "q/z": "", "s/qbz": "", "[!a-c]at": "",
		},
		"spaces, returns and marks": {
			".gitignore": "\xef\xbb\xbfmarked\ntrail   \nkept\\ \nreturn\r\n in\n", "marked": "", "trail": "", "kept ": "", "kept": "", "return": "", " in": "", "in": "",
		},
		"malformed": {
			".gitignore": "[abc\na[\n[]x]y\n[z-a]\n\\\nab\\\n[[:digit:]]1\n[[:nonsense:]]2\n/\n//\n!\n", "[abc": "", "a[": "", "]y": "", "xy": "", "z": "", "ab\\": "", "ab": "",
			"01": "", "n2": "", "a": "",
		},
		"exclude file": {
			".git/info/exclude": "*.tmp\n!keep.tmp\n", ".gitignore": "keep.tmp\n!b.tmp\n", "a.tmp": "", "b.tmp": "", "keep.tmp": "", "c": "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			git(t, dir, "", "init", "-q")
			write(t, dir, content)
			got := files(t, search.Tree{Roots: []string{dir}})
			if want := notIgnored(t, dir); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

// Random rules over random trees: the shapes that nobody thought of.
func TestIgnoreAsGitDoesAtRandom(t *testing.T) {
	needGit(t)
	rounds := 30
	if testing.Short() {
		rounds = 10
	}
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(round), 7))
		dir := t.TempDir()
		git(t, dir, "", "init", "-q")
		content := map[string]string{}
		names := []string{"a", "b", "ab", "a.o", "b.c", "foo", "bar", "baz", "a b", "x-y", "é", "A", "]", "a]", "-b", "[a", "^", "!a", "a*", "b?", "#1"}
		name := func() string { return names[rnd.IntN(len(names))] }
		for range 40 {
			path := []string{"d" + name(), "d" + name(), name()}[rnd.IntN(3):]
			content[strings.Join(path, "/")] = ""
		}
		for _, at := range []string{"", "da/", "db/da/"} {
			content[at+".gitignore"] = randomRules(rnd, name)
		}
		write(t, dir, content)
		got := files(t, search.Tree{Roots: []string{dir}})
		if want := notIgnored(t, dir); !slices.Equal(got, want) {
			t.Errorf("round %d:\n%s\n%s\n%s", round, rulesOf(content), only("ours alone: ", dir, got, want), only("git's alone:", dir, want, got))
		}
	}
}

func randomRules(rnd *rand.Rand, name func() string) string {
	var rules strings.Builder
	for range 1 + rnd.IntN(4) {
		if rnd.IntN(3) == 0 {
			rules.WriteByte('!')
		}
		if rnd.IntN(4) == 0 {
			rules.WriteByte('/')
		}
		for i := range 1 + rnd.IntN(3) {
			if i > 0 {
				rules.WriteByte('/')
			}
			n := name()
			if rnd.IntN(2) == 0 {
				n = "d" + n
			}
			switch cut := rnd.IntN(len(n)); rnd.IntN(16) {
			case 0:
				n = "**"
			case 1, 2:
				n = "*"
			case 3:
				n = "*" + n[cut:]
			case 4:
				n = n[:cut] + "*"
			case 5:
				n = "?" + n[1:]
			case 6:
				n = "[a-d]" + n[1:]
			case 7:
				n = "[!b]" + n[1:]
			case 8:
				n = "\\" + n
			case 9:
				n = n[:cut] + "**" + n[cut:]
			case 10:
				n = n[:cut] + "\\" + n[cut:]
			case 11, 12:
				n = n[:cut] + randomClass(rnd) + n[min(cut+1, len(n)):]
			}
			rules.WriteString(n)
		}
		if rnd.IntN(4) == 0 {
			rules.WriteByte('/')
		}
		rules.WriteByte('\n')
	}
	return rules.String()
}

func randomClass(rnd *rand.Rand) string {
	class := "["
	for range 1 + rnd.IntN(4) {
		parts := []string{"a", "b", "d", "]", "[", "!", "^", "-", "a-z", "!-@", "\\]", "\\-", "\\a", "[:alpha:]", "[:punct:]", "[:none:]", "*", "/", "."}
		class += parts[rnd.IntN(len(parts))]
	}
	if rnd.IntN(5) > 0 {
		class += "]"
	}
	return class
}

func rulesOf(content map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range content {
			if strings.HasSuffix(name, ".gitignore") && !yield(name) {
				return
			}
		}
	}) {
		fmt.Fprintf(&b, "%s: %q\n", name, strings.Split(content[name], "\n"))
	}
	return b.String()
}

func only(title, dir string, a, b []string) string {
	for _, path := range a {
		if !slices.Contains(b, path) {
			rel, _ := filepath.Rel(dir, path)
			title += fmt.Sprintf(" %q", rel)
		}
	}
	return title
}
