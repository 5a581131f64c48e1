package report_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

// sample returns made-up figures of each kind that there is: with an axis and
// without, with lines far apart, with points aside, with and without ours, and an
// experiment that failed.
func sample(t *testing.T) *figures.File {
	t.Helper()
	file, err := os.Open("testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	f, err := figures.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func page(t *testing.T, f *figures.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(f, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageNeedsNothingElse(t *testing.T) {
	f := sample(t)
	html := strings.ReplaceAll(page(t, f), `xmlns="http://www.w3.org/2000/svg"`, "")
	html = strings.ReplaceAll(html, fmt.Sprintf(`<a href=%q>%s</a>`, f.Experiments[0].Link, f.Experiments[0].Article), "") // which the reader may follow
	if m := regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed)|\bsrc=|href="[^#]|@import|url\([^#]|https?:`).FindString(html); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

// The same figures make the same page, wherever and whenever.
func TestPageIsOfTheFiguresAlone(t *testing.T) {
	first, second := page(t, sample(t)), page(t, sample(t))
	if first != second {
		t.Error("the same figures make two pages")
	}
}

// Elements are balanced, IDs unique, links lead somewhere, plots are named, tables
// have headers.
func TestPageIsWellFormed(t *testing.T) {
	html := page(t, sample(t))
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids := map[string]bool{}
	var wanted, stack []string
	headers, plots := 0, 0
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if name != "meta" {
				stack = append(stack, name)
			}
			for _, a := range e.Attr {
				switch a.Name.Local {
				case "id":
					if ids[a.Value] {
						t.Errorf("ID %q is there twice", a.Value)
					}
					ids[a.Value] = true
				case "aria-labelledby":
					wanted = append(wanted, strings.Fields(a.Value)...)
				case "href":
					if id, within := strings.CutPrefix(a.Value, "#"); within {
						wanted = append(wanted, id)
					}
				}
			}
			switch name {
			case "svg":
				plots++
				if !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "aria-labelledby" }) {
					t.Error("a plot has no name")
				}
			case "th":
				headers++
				if !slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "scope" }) {
					t.Error("a header does not say what it is of")
				}
			}
		case xml.EndElement:
			if n := len(stack); n == 0 || stack[n-1] != e.Name.Local {
				t.Fatalf("%v ends %s", stack, e.Name.Local)
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) > 0 {
		t.Errorf("%v has no end", stack)
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("nothing has the ID %q", id)
		}
	}
	if headers < 50 || plots < 20 {
		t.Errorf("%d headers and %d plots are few", headers, plots)
	}
}

func TestPageHasAllExperiments(t *testing.T) {
	f := sample(t)
	html := page(t, f)
	last := 0
	for _, e := range f.Experiments {
		row := strings.Index(html, fmt.Sprintf(`<a href="#%s"><b>%[1]s</b>`, e.ID))
		section := strings.Index(html, fmt.Sprintf(`<section id="%s"`, e.ID))
		if row < 0 || section < row || section < last {
			t.Errorf("%s: row at %d, section at %d", e.ID, row, section)
		}
		last = section
		text := html[section:]
		text = text[:strings.Index(text, "</section>")]
		for _, want := range append([]string{e.Title, e.About, e.Claim, e.SizeArticle, e.SizeHere}, e.Notes...) {
			if !strings.Contains(text, escaped(want)) {
				t.Errorf("%s: no %q", e.ID, want)
			}
		}
		if e.Error != "" {
			continue
		}
		if !strings.Contains(text, e.Verdict) || !strings.Contains(text, `<span class="badge `+string(e.Effect)+`">`+e.Effect.Words()) {
			t.Errorf("%s: the verdict is wrong", e.ID)
		}
		for _, p := range e.Points {
			if !strings.Contains(text, `<th scope="row">`+escaped(p.Label)+`</th>`) {
				t.Errorf("%s: %s is in no table", e.ID, p.Label)
			}
		}
		if strings.Count(text, "<tr")-strings.Count(text, "<thead><tr") != len(e.Points)+len(e.Fits)+len(e.Published) {
			t.Errorf("%s: there are %d rows for %d points and %d fits", e.ID, strings.Count(text, "<tr"), len(e.Points), len(e.Fits))
		}
	}
}

func escaped(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

func TestPageIsLoudAboutFailures(t *testing.T) {
	f := sample(t)
	html := page(t, f)
	for _, want := range []string{
		`<strong>1 experiment failed.</strong> This report is not complete:`,
		`<li><a href="#C6">C6 One process against many</a></li>`,
		`<tr role="row" class="failed">`,
		`<strong>C6 failed</strong>, so it has no figures:<pre>one process/0: exit status 1: sweetspot: lab measure: listen tcp`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
	// Figures of what failed are not shown, even if there are some.
	for i := range f.Experiments {
		f.Experiments[i].Error = "broken <by> hand"
	}
	html = page(t, f)
	if strings.Contains(html, "<svg") || !strings.Contains(html, fmt.Sprintf("<strong>%d experiments failed.</strong>", len(f.Experiments))) {
		t.Error("figures of experiments that failed are shown")
	}
	if !strings.Contains(html, "broken &lt;by&gt; hand") {
		t.Error("the error is not escaped")
	}
	for i := range f.Experiments {
		f.Experiments[i].Error = ""
	}
	if html := page(t, f); strings.Contains(html, "alarm\"") || strings.Contains(html, "failed</b>") {
		t.Error("the page is loud without a failure")
	}
}

// How ours stands follows from the interval of the ratio.
func TestPageSaysHowOursStands(t *testing.T) {
	f := sample(t)
	f.Experiments = f.Experiments[:1]
	ours := f.Experiments[0].Ours
	for _, c := range []struct {
		low, ratio, high float64
		want             string
	}{
		{1.01, 1.1, 1.2, "better"},
		{0.9, 1.1, 1.2, "no difference beyond the noise"},
		{0.9, 0.95, 1, "no difference beyond the noise"},
		{0.8, 0.9, 0.99, "worse"},
		{8, 9, 10, "not the same work"},
	} {
		ours.Avoids = ""
		if c.want == "not the same work" {
			ours.Avoids = "it hands nothing over"
		}
		ours.Low, ours.Ratio, ours.High = c.low, c.ratio, c.high
		if html := page(t, f); strings.Count(html, ">"+c.want+"</span>") != 2 {
			t.Errorf("%v: not %q in overview and section", c, c.want)
		}
	}
}

// With few rounds there is no interval of that confidence, and the page says so.
func TestPageSaysIfRoundsAreFew(t *testing.T) {
	f := sample(t)
	const words = "With fewer than 6 rounds"
	if strings.Contains(page(t, f), words) {
		t.Error("6 rounds are called few")
	}
	f.Run.Rounds = 5
	if !strings.Contains(page(t, f), words) {
		t.Error("5 rounds are not called few")
	}
}

func TestPageOfNothing(t *testing.T) {
	f := sample(t)
	f.Experiments, f.Machine, f.Run = nil, figures.Machine{}, figures.Run{}
	if html := page(t, f); !strings.Contains(html, "</html>") {
		t.Error("the page has no end")
	}
}

func TestPageReportsWhatCannotBeWritten(t *testing.T) {
	if err := report.HTML(sample(t), full{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("error %v, want no space", err)
	}
	if err := report.Benchmarks(sample(t), full{}); err == nil || !strings.Contains(err.Error(), "no space") {
		t.Errorf("error %v, want no space", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space") }

// What the article measured stands in the picture and in a table, beside the same here.
func TestPageShowsTheArticlesFigures(t *testing.T) {
	f := sample(t)
	e := &f.Experiments[slices.IndexFunc(f.Experiments, func(e figures.Experiment) bool { return e.ID == "D2" })]
	p := e.Points[0]
	e.Published = []figures.Published{{Label: p.Label, Y: 10 * p.Y, Unit: p.Unit, Text: "ten times as long & more"}}
	html := page(t, f)
	html = html[strings.Index(html, `<section id="D2"`):]
	html = html[:strings.Index(html, "</section>")]
	for _, want := range []string{"in the article: " + p.Label, "<td>ten times as long &amp; more</td>", "<td>0.100</td>", "sweetspot lab run D2 --size quick"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in %s", want, html[:min(len(html), 3000)])
		}
	}
	e = &f.Experiments[0] // A6 has an axis
	e.Published = []figures.Published{
		{Label: "Do", X: 12, Y: e.Points[0].Y, Unit: e.Points[0].Unit, Text: "at its CPU count"},
		{Label: "Do", Unit: e.Points[0].Unit, Slope: 1e-3, Text: "each"},
		{Label: "Do", X: 24, Unit: "workers", Text: "best on 12 CPUs"},
	}
	svg := picture(t, f, "a6.svg")
	for _, want := range []string{">in the article: Do<", ">the slope in the article<", ">best on 12 CPUs there<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture has no %q", want)
		}
	}
}

// A report of a changed tree says so.
func TestPageNamesTheCommit(t *testing.T) {
	f := sample(t)
	const words = "not of a clean tree"
	f.Machine.Commit = "0123abcd"
	if html := page(t, f); !strings.Contains(html, "<code>0123abcd</code>") || strings.Contains(html, words) {
		t.Error("the page does not name the commit, or calls a clean tree changed")
	}
	f.Machine.Commit += "+dirty"
	if html := page(t, f); !strings.Contains(html, "<code>0123abcd</code>") || !strings.Contains(html, words) {
		t.Error("the page does not say that the tree was changed")
	}
}

// A table says how many rounds each point had where that differs, and the command to repeat
// them names a number only if that is not the default.
func TestPageSaysRoundsOfPoints(t *testing.T) {
	e := figures.Experiment{ID: "E4", Title: "Some", Better: "higher", Points: []figures.Point{
		{Label: "a", Y: 1, Samples: []float64{1, 1, 1}}, {Label: "b", Y: 1, Samples: []float64{1, 1, 1}},
	}}
	of := func(rounds int) string {
		return page(t, &figures.File{Run: figures.Run{Scale: "full", Rounds: rounds}, Experiments: []figures.Experiment{e}})
	}
	const column = `<th scope="col">rounds</th>`
	if p := of(6); strings.Contains(p, column) || !strings.Contains(p, "<code>sweetspot lab run E4 --size full</code>") {
		t.Error("equal numbers of rounds have a column, or the command names them")
	}
	e.Points[1].Samples = append(e.Points[1].Samples, 1)
	if p := of(3); !strings.Contains(p, column) || !strings.Contains(p, "<td>4</td>") ||
		!strings.Contains(p, "<code>sweetspot lab run E4 --size full --rounds 3</code>") {
		t.Error("other numbers of rounds have no column, or the command does not name them")
	}
}
