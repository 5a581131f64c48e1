package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/internal/pattern"
)

// A Failure says why a benchmark was not recorded, or a package with benchmarks.
type Failure struct {
	Name string // of the benchmark, or the import path of the package
	Err  error
}

func (f Failure) Error() string { return fmt.Sprintf("%s: %v", f.Name, f.Err) }

var (
	benchName   = pattern.Of(`(?m)^(Benchmark\S*) *\t`)
	benchFailed = pattern.Of(`(?m)--- FAIL: (Benchmark\S*)`)
)

// discover runs each benchmark once, and returns the names of those that have none
// within: the list of a test binary has but the outermost. Where one fails, each of the
// outermost is run in a process of its own, since what comes after one that panics
// would not be seen.
func (r *recorder) discover(ctx context.Context, s *suite) (names []string, failed []Failure, err error) {
	r.step("look for benchmarks in %s", s.pkg.ImportPath)
	// With one CPU no number is added to the names.
	p, err := s.job(s.binary, 1, r.Bench, 1).run(ctx)
	if err == nil {
		return namesIn(p.stdout), nil, nil
	}
	outermost, within, _ := strings.Cut(r.Bench, "/")
	list, listErr := s.list(ctx, outermost)
	if listErr != nil {
		return nil, nil, err // it cannot even say what it has
	}
	for _, name := range list {
		r.step("look for benchmarks in %s", name)
		only := "^" + name + "$"
		if within != "" {
			only += "/" + within
		}
		p, err := s.job(s.binary, 1, only, 1).run(ctx)
		if cause := context.Cause(ctx); cause != nil {
			return nil, nil, cause
		}
		found := namesIn(p.stdout)
		if err != nil {
			var of []Failure
			found, of = failures(name, p.stdout, found, err)
			failed = append(failed, of...)
		}
		names = append(names, found...)
	}
	if len(list) == 0 { // it fails before or after all benchmarks
		return nil, nil, err
	}
	return names, failed, nil
}

// list returns the names of the outermost benchmarks that match.
func (s *suite) list(ctx context.Context, only string) ([]string, error) {
	j := s.job(s.binary, 1, ".", 1)
	j.args = []string{"-test.list=" + only}
	p, err := j.run(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(string(p.stdout)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Benchmark") {
			names = append(names, name)
		}
	}
	return names, nil
}

func namesIn(stdout []byte) []string {
	var names []string
	for _, m := range benchName().FindAllSubmatch(stdout, -1) {
		if name := string(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// failures tells those benchmarks within one that have failed, as the testing package
// says, from the others. If it says nothing, the process has ended in the last.
func failures(outermost string, stdout []byte, found []string, err error) (good []string, failed []Failure) {
	for _, m := range benchFailed().FindAllSubmatchIndex(stdout, -1) {
		name := string(stdout[m[2]:m[3]])
		said := stdout[m[0]:min(len(stdout), m[0]+keptErrors)]
		if next := benchName().FindIndex(said); next != nil {
			said = said[:next[0]]
		}
		for _, after := range []string{"\nFAIL\n", "\ngoos: "} {
			said, _, _ = bytes.Cut(said, []byte(after))
		}
		if slices.ContainsFunc(failed, func(f Failure) bool { return strings.HasPrefix(f.Name, name+"/") }) {
			continue // because of one within
		}
		failed = append(failed, Failure{name, errors.New(strings.TrimSpace(string(said)))})
	}
	if len(failed) == 0 {
		name := outermost
		if len(found) > 0 {
			name = found[len(found)-1]
		}
		failed = []Failure{{name, err}}
	}
	good = slices.DeleteFunc(slices.Clone(found), func(name string) bool {
		return slices.ContainsFunc(failed, func(f Failure) bool { return f.Name == name })
	})
	return good, failed
}
