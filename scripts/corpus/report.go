package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

func (l look) print(w io.Writer, verdicts map[string]verdict) {
	fmt.Fprintf(w, "%s (%s): %d packages, %d lines, %v, %d findings\n",
		l.module, l.half, l.Packages, l.Lines, l.took.Round(100*time.Millisecond), len(l.Findings))
	for _, b := range l.Broken {
		fmt.Fprintf(w, "\tnot looked at: %s: %.200s\n", b.Package, b.Error)
	}
	for _, f := range l.Findings {
		judged := "unread"
		if v, ok := l.verdict(f, verdicts); ok {
			judged = "wrong: " + v.why
			if v.right {
				judged = "right: " + v.why
			}
		}
		fmt.Fprintf(w, "\t%s:%d: %s/%s: %s\n\t\t%s\n\t\t%s\n", f.File, f.Line, f.Check, f.Grade, f.Message, f.Text, judged)
	}
}

// A tally counts the findings of some modules that have one grade, and are of one
// check or, with an empty name, of any.
type tally struct{ modules, lines, findings, read, right int }

func (t *tally) add(l look, grade, check string, verdicts map[string]verdict) {
	t.modules++
	t.lines += l.Lines
	for _, f := range l.Findings {
		if f.Grade != grade || check != "" && f.Check != check {
			continue
		}
		t.findings++
		if v, ok := l.verdict(f, verdicts); ok {
			t.read++
			if v.right {
				t.right++
			}
		}
	}
}

func (t tally) String() string {
	s := fmt.Sprintf("%3d findings, %5.2f per million lines", t.findings, float64(t.findings)/max(float64(t.lines)/1e6, 1e-9))
	if t.read > 0 {
		low, high := wilson(t.right, t.read)
		s += fmt.Sprintf("; right %d of %d read, %.0f %% (95 %%: %.0f to %.0f %%)",
			t.right, t.read, 100*float64(t.right)/float64(t.read), 100*low, 100*high)
	}
	return s
}

// summarise prints the tallies of each half, of each grade in it and each check.
func summarise(w io.Writer, looks []look, verdicts map[string]verdict) {
	groups := []struct {
		name string
		in   func(look) bool
	}{
		{"the tuned half", func(l look) bool { return l.half == tuned }},
		{"the fresh half", func(l look) bool { return l.half == fresh }},
		{"the standard library", func(l look) bool { return l.half == std }},
		{"all", func(look) bool { return true }},
	}
	checks := make(map[string]bool)
	var took time.Duration
	for _, l := range looks {
		took += l.took
		for _, f := range l.Findings {
			checks[f.Check] = true
		}
	}
	for _, g := range groups {
		of := slices.DeleteFunc(slices.Clone(looks), func(l look) bool { return !g.in(l) })
		if len(of) == 0 || len(of) == len(looks) && g.name != "all" {
			continue
		}
		all := sum(of, "", "", verdicts)
		fmt.Fprintf(w, "\n%s: %d modules, %d lines\n", g.name, all.modules, all.lines)
		for _, grade := range []string{"quiet", "info"} {
			fmt.Fprintf(w, "  %-17s %v\n", grade, sum(of, grade, "", verdicts))
			for _, check := range slices.Sorted(maps.Keys(checks)) {
				if t := sum(of, grade, check, verdicts); t.findings > 0 {
					fmt.Fprintf(w, "    %-15s %v\n", check, t)
				}
			}
		}
	}
	fmt.Fprintf(w, "\n%v in all\n", took.Round(time.Second))
}

func sum(looks []look, grade, check string, verdicts map[string]verdict) (t tally) {
	for _, l := range looks {
		t.add(l, grade, check, verdicts)
	}
	return t
}
