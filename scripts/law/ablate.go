package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// An ablation says what to remove and what to do with the result.
type ablation struct {
	seeds, only string
	write       bool
}

func ablate(a ablation) error {
	chosen := slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return a.only != "" && r.name != a.only })
	if len(chosen) == 0 {
		return fmt.Errorf("no rule has the name %q: want one of\n%s", a.only, names(rules))
	}
	// The law as it is comes first: the others are compared with it.
	var outcomes []outcome
	for _, r := range append([]rule{{name: "(all rules)"}}, chosen...) {
		o, err := without(r, a)
		if err != nil {
			return fmt.Errorf("without %q: %w", r.name, err)
		}
		fmt.Fprintf(os.Stderr, "%-34s %s\n", r.name, o)
		outcomes = append(outcomes, o)
	}
	t := table(outcomes)
	fmt.Print(t)
	if a.write {
		return insert("control/figures.md", note(a.seeds)+t)
	}
	return nil
}

func names(rs []rule) string {
	var b strings.Builder
	for _, r := range rs {
		fmt.Fprintf(&b, "  %s\n", r.name)
	}
	return b.String()
}

// An outcome is what the law is worth without a rule.
type outcome struct {
	rule                    rule
	mean, meanWorst, worst  float64 // over all scenarios
	together, togetherWorst float64 // mean and mean of worst over all companies
	missed                  []miss
}

func (o outcome) String() string {
	return fmt.Sprintf("mean %.4f, of worst %.4f, worst run %.3f; companies %.4f, of worst %.4f; missed: %s",
		o.mean, o.meanWorst, o.worst, o.together, o.togetherWorst, strings.Join(named(o.missed), "; "))
}

// without judges the law in a copy of the sources that lacks r.
func without(r rule, a ablation) (o outcome, err error) {
	dir, err := os.MkdirTemp("", "law")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := copySources(dir); err != nil {
		return o, err
	}
	if err := edited(filepath.Join(dir, "control"), r.edits); err != nil {
		return o, err
	}
	out, err := goCommand(dir, "run", "./scripts/law", "judge", "-seeds", a.seeds)
	if err != nil {
		return o, err
	}
	var v verdict
	if err := json.Unmarshal(out, &v); err != nil {
		return o, err
	}
	return newOutcome(r, v), nil
}

func newOutcome(r rule, v verdict) outcome {
	misses, _ := missed(bars, v.Scenarios)
	o := outcome{rule: r, missed: misses}
	o.mean, o.meanWorst, o.worst = means(v.Scenarios)
	o.together, o.togetherWorst, _ = means(v.Companies)
	return o
}

// means returns the mean of the medians, the mean of the worst seeds and the worst run.
func means(rows []row) (mean, meanWorst, worst float64) {
	worst = math.Inf(1)
	for _, r := range rows {
		mean += float64(r.Score) / float64(len(rows))
		meanWorst += float64(r.Worst) / float64(len(rows))
		worst = min(worst, float64(r.Worst))
	}
	return mean, meanWorst, worst
}

// copySources copies what the judge needs, without tests.
func copySources(dir string) error {
	files := []string{"go.mod"}
	for _, pattern := range []string{"control/*.go", "internal/company/*.go", "internal/humanize/*.go", "internal/plot/*.go", "internal/plot/*.css", "internal/seeds/*.go", "sim/*.go", "sim/*.txt", "scripts/law/*.go"} {
		f, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		files = append(files, f...)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, f)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, b, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// edited applies edits to the law in dir. Each must find its text.
func edited(dir string, edits []edit) error {
	files, err := filepath.Glob(filepath.Join(dir, "search*.go"))
	if err != nil {
		return err
	}
	found := make([]bool, len(edits))
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		text := string(src)
		for i, e := range edits {
			found[i] = found[i] || strings.Contains(text, e.old)
			text = strings.ReplaceAll(text, e.old, e.new)
		}
		if text == string(src) {
			continue
		}
		if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return fmt.Errorf("the source has no %q any more: bring scripts/law/rules.go up to date", edits[i].old)
	}
	return nil
}

// goCommand runs the go command in dir, outside any workspace.
func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}

// table formats outcomes; the first is the law with all rules. The others are
// sorted by cost: what is lost of the mean of medians and of the mean of worst
// seeds together, of scenarios and companies. Of the bars that they miss it names
// those that the law with all rules meets.
func table(outcomes []outcome) string {
	all := outcomes[0]
	cost := func(o outcome) float64 {
		return all.mean + all.meanWorst + all.together + all.togetherWorst - o.mean - o.meanWorst - o.together - o.togetherWorst
	}
	rest := slices.Clone(outcomes[1:])
	slices.SortStableFunc(rest, func(x, y outcome) int { return cmp.Compare(cost(y), cost(x)) })
	var b strings.Builder
	b.WriteString("| without | it is there to | mean of medians | mean of worst | worst run | companies: mean | of worst | more bars missed |\n|---|---|---|---|---|---|---|---|\n")
	for _, o := range append([]outcome{all}, rest...) {
		more := slices.DeleteFunc(slices.Clone(o.missed), func(m miss) bool { return slices.ContainsFunc(all.missed, m.sameBar) })
		fmt.Fprintf(&b, "| %s | %s | %.4f | %.4f | %.3f | %.4f | %.4f | %s |\n",
			o.rule.name, o.rule.purpose, o.mean, o.meanWorst, o.worst, o.together, o.togetherWorst, strings.Join(named(more), "; "))
	}
	return b.String()
}

func note(seeds string) string {
	return fmt.Sprintf("Made by `go run ./scripts/law ablate -seeds %s -write`: all scenarios of package sim, seeds %s, and all its companies, the first two of them.\n\n", seeds, seeds)
}

// The table stands between these lines of the page.
const (
	tableBegins = "<!-- ablations: begin -->\n"
	tableEnds   = "<!-- ablations: end -->\n"
)

// insert replaces what stands between the marks in file.
func insert(file, text string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), tableBegins)
	_, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		return fmt.Errorf("%s: want the lines %q and %q, and the table goes between", file, tableBegins, tableEnds)
	}
	return os.WriteFile(file, []byte(before+tableBegins+text+tableEnds+after), 0o644)
}
