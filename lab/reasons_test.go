package lab_test

import (
	"bytes"
	"html"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab"
	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

// Where the published report cannot tell whether a claim holds, or where ours has less
// than it is to have, it says why: in the file, and on the page.
func TestPublishedReportSaysWhy(t *testing.T) {
	text, err := os.ReadFile("../docs/lab/lab.json")
	if err != nil {
		t.Skip(err) // the module alone
	}
	page, err := os.ReadFile("../docs/lab/lab.html")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := figures.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	now, err := figures.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	lab.ExplainAll(now)
	untold, short, stale := 0, 0, false
	for i, e := range stored.Experiments {
		if e.Effect == figures.Untold {
			untold++
			if e.WhyUntold == "" {
				t.Errorf("%s cannot be told, and nothing says why", e.ID)
			}
		}
		if e.Ours != nil && e.Ours.Short() {
			short++
			if e.WhyShort == "" {
				t.Errorf("%s: ours has %.3f of the best variant, and nothing says why", e.ID, e.Ours.Ratio)
			}
		}
		section := sectionOf(string(page), e.ID)
		for _, why := range []struct{ stored, now string }{
			{e.WhyUntold, now.Experiments[i].WhyUntold}, {e.WhyShort, now.Experiments[i].WhyShort}, {e.Further, now.Experiments[i].Further},
		} {
			if why.stored != why.now {
				t.Errorf("%s: docs/lab says %q, and this program %q", e.ID, why.stored, why.now)
				stale = true
			}
			if !strings.Contains(section, html.EscapeString(why.stored)) {
				t.Errorf("%s: the page does not say %q", e.ID, why.stored)
			}
		}
	}
	if stale {
		t.Error("bring it up to date: sweetspot lab report docs/lab/lab.json --json docs/lab/lab.json --html docs/lab/lab.html")
	}
	if untold == 0 && short == 0 {
		t.Error("no row needs a reason: what is this test of?")
	}
}

// A report shows the reasons that its figures have, and nothing where there is none.
func TestPageShowsReasons(t *testing.T) {
	e := figures.Experiment{
		ID: "A3", Title: "Workers", Article: "An article", About: "It works.", Claim: "faster", Verdict: "so so",
		Better: "lower", Effect: figures.Untold, Points: []figures.Point{{Label: "Do", Y: 1, Samples: []float64{1}}},
	}
	for _, why := range []string{"", "for <some> reason"} {
		e.WhyUntold, e.WhyShort, e.Further = why, why, why
		var b bytes.Buffer
		if err := report.HTML(&figures.File{Experiments: []figures.Experiment{e}}, &b); err != nil {
			t.Fatal(err)
		}
		section := sectionOf(b.String(), "A3")
		for _, label := range []string{"why undecided", "why short", "further"} {
			_, after, there := strings.Cut(section, "<dt>"+label+"</dt>")
			if there != (why != "") || there && !strings.Contains(after[:strings.Index(after, "</dd>")], html.EscapeString(why)) {
				t.Errorf("with %q: %s is there: %v, %.80s", why, label, there, after)
			}
		}
	}
}

func sectionOf(page, id string) string {
	_, section, _ := strings.Cut(page, `<section id="`+id+`"`)
	section, _, _ = strings.Cut(section, "</section>")
	return section
}

// Each reason can be given of any figures.
func TestReasonsOfAnyFigures(t *testing.T) {
	untold, short := 0, 0
	for _, id := range lab.IDs() {
		why, err := lab.Reasons(id, full)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		for i, text := range why {
			if text == "" {
				continue
			}
			*[]*int{&untold, &short}[i]++
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
				t.Errorf("%s: %q", id, text)
			}
		}
	}
	if untold < 9 || short < 9 {
		t.Errorf("there are %d and %d reasons, want those of nine rows", untold, short)
	}
}

// Where the samples do not tell whether ours has less, that is the reason, unless another is
// known.
func TestReasonOfARatioThatIsNotTold(t *testing.T) {
	for high, want := range map[float64]string{
		1.02: "It is undecided whether ours has less: it has between 0.850 and 1.02 of the best.",
		0.99: "", // it has less, and nobody knows why
	} {
		f := &figures.File{Run: figures.Run{Scale: full}, Experiments: []figures.Experiment{{
			ID: "B3", Ours: &figures.Ours{Label: "ReduceRange", Ratio: 0.9, Low: 0.85, High: high},
		}}}
		lab.ExplainAll(f)
		if got := f.Experiments[0].WhyShort; got != want {
			t.Errorf("up to %g: %q, want %q", high, got, want)
		}
	}
}

// How long it takes to tell follows from the spread: four times as many rounds for half
// the width.
func TestRoundsToTell(t *testing.T) {
	samples := slices.Repeat([]float64{0.9, 1.1}, 8) // a standard deviation of 0.1
	// 1.96 x sqrt(pi/2) x 0.1 is 0.2457.
	for width, want := range map[float64]int{0.2457: 6, 0.02457: 100, 0.01228: 401, 0: 6} {
		if got := lab.RoundsToTell(samples, width); got != want {
			t.Errorf("%g: %d rounds, want %d", width, got, want)
		}
	}
	// To be on one side of a bar four times in five takes 2.8 / 1.96 times the width, squared.
	for bar, want := range map[float64]int{1.02457: 204, 0.97543: 204, 2: 6, 1: 6} {
		if got := lab.RoundsToDecide(samples, bar); got != want {
			t.Errorf("bar %g: %d rounds, want %d", bar, got, want)
		}
	}
}

func TestRoundsToDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want int
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 0},
		{[]float64{4, 5, 6}, []float64{1, 2, 3}, 6}, // 5.2, by which there are too few for an interval
		{[]float64{1, 3}, []float64{2, 2}, 0},
		{[]float64{1, 3, 3, 3}, []float64{2}, 21}, // larger in three of four: 7.84 / (6 x 0.0625)
	} {
		if got := lab.RoundsToDiffer(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %d rounds, want %d", c.a, c.b, got, c.want)
		}
	}
}

// compare measures two points as often as it is told, and says by how much they differ.
func TestCompare(t *testing.T) {
	onlySmall(t)
	out, progress, err := command("compare", "S3", "place/2", "ours", "--size", "quick", "--rounds", "3")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out, "place, workers 2: ") || !strings.Contains(out, "\nours, workers 0: ") ||
		!strings.Contains(out, "\nthe first is ") || !strings.HasSuffix(out, "), 3 rounds, 20,000 turns\n") || progress != "" {
		t.Errorf("printed %q and %q", out, progress)
	}
	for args, want := range map[string]string{
		"":                                    "which experiment? one ID as in lab list",
		"S3":                                  "lab compare: experiment S3: want two points to compare, not 0: it has place/2; ours",
		"S3 ours":                             "lab compare: experiment S3: want two points to compare, not 1: it has place/2; ours",
		"S3 ours place/2 x":                   "x is left over",
		"Z1 a b":                              `lab compare: unknown experiment "Z1"`,
		"S3 ours place/9":                     `lab compare: experiment S3 has no point "place/9" to measure at size full: it has place/2; ours`,
		"S3 ours ours/0":                      "lab compare: both points are ours: want two different ones",
		"S3 ours place/2 --size huge":         `lab compare: --size is "huge"`,
		"S3 ours place/2 --rounds -1":         "lab compare: --rounds is -1, want 1 or more",
		"S3 ours place/2 --for -1":            `"-1" is not a length of time`,
		"S3 ours place/2 --for 1s --rounds 2": "[for rounds] were all set",
		"T4 no-number ours":                   `experiment T4 has no point "no-number"`,
	} {
		if _, _, err := command(append([]string{"compare"}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", args, err, want)
		}
	}
}
