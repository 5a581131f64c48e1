package docs_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/vet"
)

// pitfallsDir is where the blocks of Go of the pages about checks stand.
const pitfallsDir = "bench/pitfalls"

// Each check has a page, to which its findings lead, and each page belongs to a check.
func TestChecksHavePages(t *testing.T) {
	rerun.Skip(t)
	checks := map[string]bool{}
	for _, a := range vet.Analyzers(vet.Hot) {
		checks[a.Name] = true
		_, page, found := strings.Cut(a.URL, "/blob/main/docs/")
		if _, err := os.Stat(filepath.FromSlash(page)); !found || err != nil {
			t.Errorf("the findings of %s lead to %s, which is not a page: %v", a.Name, a.URL, err)
		}
	}
	for _, file := range checkPages(t) {
		if name := strings.TrimSuffix(filepath.Base(file), ".md"); !checks[name] {
			t.Errorf("%s: there is no such check", file)
		}
	}
}

// What a page shows as bad is found by its check, and what it shows as good by none.
func TestChecksFindWhatTheirPagesShow(t *testing.T) {
	rerun.Skip(t)
	cmd := exec.Command(build(t), "vet", "--info", "--fail", "never", "--json", "-", "./pitfalls")
	cmd.Dir = filepath.Join(repository, "bench")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var report struct {
		Findings []struct {
			Check, File, Message string
			Line                 int
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	code := map[string]string{}
	each(t, ".go", func(path string, data []byte) {
		if strings.HasPrefix(path, pitfallsDir+"/") {
			code[filepath.Base(path)] = "\n" + unindented(string(data))
		}
	})
	bad := 0
	for _, file := range checkPages(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		check := strings.TrimSuffix(filepath.Base(file), ".md")
		for _, s := range sections(string(data)) {
			for _, b := range readPage(s.text).blocks {
				if b.language != "go" {
					continue
				}
				name, first, last := whereabouts(b.code, code)
				if name == "" {
					t.Errorf("%s, %s: this block stands in no file of %s:\n%s", file, s.heading, pitfallsDir, b.code)
					continue
				}
				found := ""
				for _, f := range report.Findings {
					if filepath.Base(f.File) == name && first <= f.Line && f.Line <= last {
						found += f.Check + " "
						if s.heading == "Good" {
							t.Errorf("%s:%d: %s shows this as good: %s [%s]", f.File, f.Line, file, f.Message, f.Check)
						}
					}
				}
				if s.heading == "Bad" {
					bad++
					if !strings.Contains(found, check) {
						t.Errorf("%s: not found in %s, lines %d to %d, but by %q:\n%s", file, name, first, last, found, b.code)
					}
				}
			}
		}
	}
	if bad == 0 {
		t.Error("no page shows what is bad")
	}
}

func checkPages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("checks/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no page about a check: %v", err)
	}
	return files
}

type section struct{ heading, text string }

// sections divides a page at its headings.
func sections(page string) []section {
	starts := regexp.MustCompile(`(?m)^#{1,6} +(.*)$`).FindAllStringSubmatchIndex(page, -1)
	var all []section
	for i, at := range starts {
		end := len(page)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		all = append(all, section{page[at[2]:at[3]], page[at[1]:end]})
	}
	return all
}

// whereabouts returns the file that a block stands in, and its first and last line
// there.
func whereabouts(block string, files map[string]string) (name string, first, last int) {
	want := "\n" + unindented(block)
	for name, file := range files {
		if before, _, found := strings.Cut(file, want); found {
			first = 1 + strings.Count(before, "\n")
			return name, first, first + strings.Count(want, "\n") - 2
		}
	}
	return "", 0, 0
}

func TestWhereabouts(t *testing.T) {
	files := map[string]string{"a.go": "\npackage a\n\nfunc f() {\nx := 1\ng(x)\n}\n"}
	if name, first, last := whereabouts("\tx := 1\n\tg(x)\n", files); name != "a.go" || first != 4 || last != 5 {
		t.Errorf("got %s, lines %d to %d; want a.go, 4 to 5", name, first, last)
	}
	if name, _, _ := whereabouts("y := 1\n", files); name != "" {
		t.Errorf("found in %s what stands nowhere", name)
	}
}

func TestSections(t *testing.T) {
	got := sections("# A\ntext\n## Bad\n\ncode\n")
	want := []section{{"A", "\ntext\n"}, {"Bad", "\n\ncode\n"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %q, want %q", got, want)
	}
}
