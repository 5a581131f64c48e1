package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/sim"
)

// ablate removes one rule after the other, or only the one of that name.
func ablate(seeds, only string, write bool) error {
	chosen := slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return only != "" && r.Name != only })
	if len(chosen) == 0 {
		return fmt.Errorf("no rule has the name %q: want one of\n%s", only, names(rules))
	}
	// The law as it is comes first: the others are compared with it.
	var outcomes []outcome
	for _, r := range append([]rule{{Name: "(all rules)"}}, chosen...) {
		o, err := without(r, seeds)
		if err != nil {
			return fmt.Errorf("without %q: %w", r.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-34s %s\n", r.Name, o)
		outcomes = append(outcomes, o)
	}
	t := table(outcomes)
	fmt.Print(t)
	if !write {
		return nil
	}
	note := fmt.Sprintf("Made by `go run ./scripts/law ablate -seeds %s -write`: all scenarios of package sim, seeds %s, and all its companies, the first two of them.\n\n", seeds, seeds)
	return insert("control/figures.md", note+t)
}

func names(rs []rule) string {
	var b strings.Builder
	for _, r := range rs {
		fmt.Fprintf(&b, "  %s\n", r.Name)
	}
	return b.String()
}

// An outcome is what the law is worth without a rule.
type outcome struct {
	rule                    rule
	Mean, MeanWorst, Worst  float64 // over all scenarios
	Together, TogetherWorst float64 // mean and mean of worst over all companies
	Missed                  []miss
}

func (o outcome) String() string {
	return fmt.Sprintf("mean %.4f, of worst %.4f, worst run %.3f; companies %.4f, of worst %.4f; missed: %s",
		o.Mean, o.MeanWorst, o.Worst, o.Together, o.TogetherWorst, strings.Join(named(o.Missed), "; "))
}

// without judges the law without r, by a build in which edited files stand for those of the tree.
func without(r rule, seeds string) (o outcome, err error) {
	dir, err := os.MkdirTemp("", "law")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	replaced, err := edited("control", dir, r.Edits)
	if err != nil {
		return o, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return o, err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		return o, err
	}
	out, err := goCommand("run", "-overlay", file, "./scripts/law", "judge", "-seeds", seeds)
	if err != nil {
		return o, err
	}
	err = json.Unmarshal(out, &o)
	o.rule = r
	return o, err
}

func newOutcome(alone *sim.Verdict, companies []sim.CompanyRow) outcome {
	o := outcome{Mean: alone.Mean, MeanWorst: alone.MeanWorst, Worst: alone.Min}
	o.Missed, _ = missed(bars, alone.Rows)
	for _, r := range companies {
		o.Together += r.Score / float64(len(companies))
		o.TogetherWorst += r.Worst / float64(len(companies))
	}
	return o
}

// edited applies edits to the law in dir and writes the files that they change to another
// folder. It returns where each is. Each edit must find its text.
func edited(dir, to string, edits []edit) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "search*.go"))
	if err != nil {
		return nil, err
	}
	replaced := make(map[string]string)
	found := make([]bool, len(edits))
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		src, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		text := string(src)
		for i, e := range edits {
			found[i] = found[i] || strings.Contains(text, e.Old)
			text = strings.ReplaceAll(text, e.Old, e.New)
		}
		if text == string(src) {
			continue
		}
		replaced[f] = filepath.Join(to, filepath.Base(f))
		if err := os.WriteFile(replaced[f], []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return nil, fmt.Errorf("the source has no %q any more: bring scripts/law/rules.json up to date", edits[i].Old)
	}
	return replaced, nil
}

// goCommand runs the go command, outside any workspace.
func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
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
		return all.Mean + all.MeanWorst + all.Together + all.TogetherWorst - o.Mean - o.MeanWorst - o.Together - o.TogetherWorst
	}
	rest := slices.Clone(outcomes[1:])
	slices.SortStableFunc(rest, func(x, y outcome) int { return cmp.Compare(cost(y), cost(x)) })
	var b strings.Builder
	b.WriteString("| without | it is there to | mean of medians | mean of worst | worst run | companies: mean | of worst | more bars missed |\n|---|---|---|---|---|---|---|---|\n")
	for _, o := range append([]outcome{all}, rest...) {
		more := slices.DeleteFunc(slices.Clone(o.Missed), func(m miss) bool { return slices.ContainsFunc(all.Missed, m.sameBar) })
		fmt.Fprintf(&b, "| %s | %s | %.4f | %.4f | %.3f | %.4f | %.4f | %s |\n",
			o.rule.Name, o.rule.Purpose, o.Mean, o.MeanWorst, o.Worst, o.Together, o.TogetherWorst, strings.Join(named(more), "; "))
	}
	return b.String()
}

// The table stands between these lines of the page.
const (
	tableBegins = "<!-- ablations: begin -->\n"
	tableEnds   = "<!-- ablations: end -->\n"
)

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
