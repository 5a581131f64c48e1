package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/recording"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// A Comparison sets a report beside an earlier one, of the same work.
type Comparison struct {
	Base    string   `json:"base"` // what the earlier run was
	Targets []Change `json:"targets"`
	// Missing are targets that only one of both has.
	Missing []string `json:"missing,omitempty"`
}

// A Change is what has become of a target.
type Change struct {
	Name string `json:"name"`
	// Before and After are the times of an operation with the most CPUs; a recording of a
	// program that goes on has none. Differs is set if their ranges do not overlap.
	Before   *dissect.Spread `json:"before,omitempty"`
	After    *dissect.Spread `json:"after,omitempty"`
	Differs  bool            `json:"differs"`
	Findings []FindingChange `json:"findings"`
}

// A FindingChange is what has become of a cause. A share is absent where it was not found.
type FindingChange struct {
	Check  string   `json:"check"`
	Func   string   `json:"func"` // as in Finding
	Title  string   `json:"title"`
	Before *float64 `json:"before,omitempty"`
	After  *float64 `json:"after,omitempty"`
}

// earlier returns the report that --base names; or, if it names recordings, what they show,
// and a report that only says what they are. Of these counts what the command line says of
// the later ones, as both are of the same work.
func (o *options) earlier(ctx context.Context, saved recording.Saved) (*Report, []*evidence.Observation, error) {
	if len(o.base) == 0 {
		return nil, nil, nil
	}
	if _, err := dissect.Identify(o.base[0]); err == nil {
		info, err := os.Stat(o.base[0])
		if err != nil {
			return nil, nil, err
		}
		saved.Files = o.base
		all, _, err := o.read(ctx, saved, nil)
		return &Report{Run: Recorded{What: strings.Join(o.base, " "), Began: info.ModTime(), Steady: 1}}, all, err
	}
	text, err := os.ReadFile(o.base[0])
	if err != nil {
		return nil, nil, err
	}
	var r Report
	switch err := json.Unmarshal(text, &r); {
	case err != nil || r.Version == 0:
		return nil, nil, fmt.Errorf("%s is neither a recording nor a report: want what sweetspot diagnose --json has written of the earlier run, or profiles and traces of it", o.base[0])
	case len(o.base) > 1:
		return nil, nil, fmt.Errorf("%s is a report, and there is more: want one report, or recordings alone", o.base[0])
	case r.Version != Version:
		return nil, nil, fmt.Errorf("%s is of version %d, want a report of version %d", o.base[0], r.Version, Version)
	}
	return &r, nil, nil
}

// compare sets the targets of the same name beside each other, or the only ones.
func compare(base, r *Report) *Comparison {
	c := &Comparison{Base: base.Run.What + ", " + base.Run.Began.UTC().Format("2006-01-02 15:04 MST"), Targets: []Change{}}
	left := slices.Clone(base.Targets)
	for _, after := range r.Targets {
		at := slices.IndexFunc(left, func(t *Target) bool { return t.Name == after.Name && t.Package == after.Package })
		if len(base.Targets) == 1 && len(r.Targets) == 1 {
			at = 0
		}
		if at < 0 {
			c.Missing = append(c.Missing, after.Name)
			continue
		}
		c.Targets = append(c.Targets, changeOf(left[at], after))
		left = slices.Delete(left, at, at+1)
	}
	for _, t := range left {
		c.Missing = append(c.Missing, t.Name)
	}
	return c
}

func changeOf(before, after *Target) Change {
	c := Change{Name: after.Name, Findings: []FindingChange{}}
	if n, m := len(before.Points), len(after.Points); n > 0 && m > 0 && before.Per == after.Per && after.Per != evidence.Second {
		b, a := before.Points[n-1], after.Points[m-1]
		if b.Procs == a.Procs {
			c.Before, c.After = &b.Seconds, &a.Seconds
			c.Differs = b.Seconds.High < a.Seconds.Low || a.Seconds.High < b.Seconds.Low
		}
	}
	left := slices.Clone(before.Findings)
	for _, f := range after.Findings {
		change := FindingChange{Check: f.Check, Func: f.Func, Title: f.Title, After: &f.Share}
		if at := slices.IndexFunc(left, func(b Finding) bool { return b.Check == f.Check && b.Func == change.Func }); at >= 0 {
			change.Before = &left[at].Share
			left = append(slices.Clone(left[:at]), left[at+1:]...) // what Before points to stays
		}
		c.Findings = append(c.Findings, change)
	}
	for _, f := range left {
		c.Findings = append(c.Findings, FindingChange{Check: f.Check, Func: f.Func, Title: f.Title, Before: &f.Share})
	}
	return c
}

// Words says what has changed, a line each.
func (c *Change) Words() []string {
	var all []string
	if c.Before != nil {
		line := fmt.Sprintf("%s, and %s before", seconds(c.After.Mid), seconds(c.Before.Mid))
		if !c.Differs {
			line += ": the ranges overlap"
		}
		all = append(all, line)
	}
	for _, f := range c.Findings {
		switch {
		case f.Before == nil:
			all = append(all, fmt.Sprintf("new, %s: %s", percent(*f.After), f.Title))
		case f.After == nil:
			all = append(all, fmt.Sprintf("gone, %s before: %s", percent(*f.Before), f.Title))
		default:
			all = append(all, fmt.Sprintf("still there, %s, and %s before: %s", percent(*f.After), percent(*f.Before), f.Title))
		}
	}
	if len(c.Findings) == 0 {
		all = append(all, "nothing to fix was found, before or now")
	}
	return all
}
