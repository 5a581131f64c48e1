package diagnose_test

import (
	"bytes"
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// report has a target of each kind, one with a curve, one whose workers are
// counted, and one with nothing to fix.
func report(t *testing.T) *diagnose.Report {
	t.Helper()
	all := []*evidence.Observation{recursive(t), handed(t), shared(t), flooded(t), locked(t), starved(t), littering(t), made(quiet)}
	for i, o := range all {
		o.Name = fmt.Sprintf("BenchmarkWork/kind=%d<&>", i)
	}
	scaling := made(quiet)
	scaling.Name, scaling.Notes = "BenchmarkScaling", []string{"a note"}
	scaling.Points = nil
	for _, p := range scaled(1000, 0.05, 0.01, 0.01, 6, 1, 2, 4, 8) {
		point := evidence.Point{Procs: p.N}
		for _, rate := range p.Samples {
			point.Seconds = append(point.Seconds, 1/rate)
		}
		scaling.Points = append(scaling.Points, point)
	}
	all = append(all, scaling)
	for n, times := range map[int]float64{1: 1, 2: 1.9, 4: 2} {
		o := made(quiet)
		o.Name = fmt.Sprintf("BenchmarkPool/workers=%d/size=10", n)
		o.Largest().Seconds = flat(1e-3 / times)
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b *evidence.Observation) int { return strings.Compare(a.Name, b.Name) })
	file := at(t, "fib", 20).File
	return diagnose.ReportOn(all, []diagnose.Static{{Check: "recspawn", Grade: "quiet", File: file, Line: 20, EndLine: 20, Message: "a goroutine a call", URL: "https://example.com/recspawn"}})
}

//go:embed schema.json
var schemaText []byte

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func generic(t *testing.T, r *diagnose.Report) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

func TestReportsAreValid(t *testing.T) {
	s := schema(t)
	if err := s.Validate(generic(t, report(t))); err != nil {
		t.Error(err)
	}
	if err := s.Validate(generic(t, diagnose.ReportOn(nil, nil))); err != nil {
		t.Errorf("a report of nothing: %v", err)
	}
	for name, spoil := range map[string]func(map[string]any){
		"version":  func(r map[string]any) { r["version"] = 2 },
		"no unit":  func(r map[string]any) { delete(r["targets"].([]any)[0].(map[string]any), "per") },
		"share":    func(r map[string]any) { finding(r)["share"] = 1.2 },
		"basis":    func(r map[string]any) { finding(r)["basis"] = "guess" },
		"evidence": func(r map[string]any) { finding(r)["evidence"] = []any{} },
	} {
		r := generic(t, report(t))
		spoil(r)
		if s.Validate(r) == nil {
			t.Errorf("the schema takes a wrong %s", name)
		}
	}
}

// finding returns the first of a report.
func finding(r map[string]any) map[string]any {
	for _, target := range r["targets"].([]any) {
		if all := target.(map[string]any)["findings"].([]any); len(all) > 0 {
			return all[0].(map[string]any)
		}
	}
	return nil
}

// Each property that is written is described.
func TestSchemaKnowsAllProperties(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	defs := doc.(map[string]any)["$defs"].(map[string]any)
	var look func(at string, v any, s map[string]any)
	look = func(at string, v any, s map[string]any) {
		if ref, ok := s["$ref"].(string); ok {
			s = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		switch v := v.(type) {
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			others, open := s["additionalProperties"].(map[string]any)
			for name, value := range v {
				switch p, known := properties[name].(map[string]any); {
				case known:
					look(at+"."+name, value, p)
				case open:
					look(at+"."+name, value, others)
				default:
					t.Errorf("the schema does not describe %s.%s", at, name)
				}
			}
		case []any:
			items, _ := s["items"].(map[string]any)
			for _, value := range v {
				look(at+"[]", value, items)
			}
		}
	}
	look("", generic(t, report(t)), doc.(map[string]any))
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := report(t).Print(&b, strings.TrimSuffix(at(t, "", 0).File, "/work.go")); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"sweetspot diagnose ., 8 CPUs, go1.26.0; 6 rounds\n",
		"  1. 80 % of the time (400 µs): work.fib starts a goroutine for 500 ns of work\n     work.go:20  go func() { a <- fib(n - 1) }()\n",
		"     - vet recspawn: a goroutine a call\n",
		"       https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/recspawn.md\n",
		"  1. memory, and hardly any time: work.each starts all goroutines at once: up to 1,000 of them for 2 CPUs\n",
		"  nothing to fix\n",
		"  speedup by GOMAXPROCS: 1: 1.00 (1.00 to 1.00) 2: 1.8",
		"  fit: contention 0.0",
		"; the most with 10\n",
		"  speedup by workers: 1: 1.00 (1.00 to 1.00) 2: 1.90 (1.90 to 1.90) 4: 2.00 (2.00 to 2.00)\n",
		"CPUs busy\n  CPU time: 98 % work, 2 % scheduling of goroutines\n",
		"  note: a note\n  nothing to fix was found, but it was not looked into: no instrument has seen any of it\n", // after what limits it
		"\n  Lines that start goroutines, an operation (traced, which slows it down)\n",
		"\n  Lines at which goroutines wait, an operation (traced, which slows it down)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	// Two CPUs carry no fit, and are not told of one.
	if n := strings.Count(text, "fit: "); n != 1 {
		t.Errorf("%d fits are told, want 1", n)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func page(t *testing.T, r *diagnose.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b, ""); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageNeedsNothingElse(t *testing.T) {
	html := strings.ReplaceAll(page(t, report(t)), `xmlns="http://www.w3.org/2000/svg"`, "")
	html = regexp.MustCompile(`<a href="https://[^"]*">`).ReplaceAllString(html, "") // leads away, and loads nothing
	if m := regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed)|\bsrc=|href="[^#]|@import|url\([^#]`).FindString(html); m != "" {
		t.Errorf("the page loads something: %s", m)
	}
}

// Elements are balanced, IDs unique, and links within the page lead somewhere.
func TestPageIsWellFormed(t *testing.T) {
	html := page(t, report(t))
	if again := page(t, report(t)); again != html {
		t.Error("the same report makes two pages")
	}
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	ids := map[string]bool{}
	var wanted, stack []string
	plots := 0
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
			if e.Name.Local != "meta" {
				stack = append(stack, e.Name.Local)
			}
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "id" && ids[a.Value]:
					t.Errorf("two elements have the ID %s", a.Value)
				case a.Name.Local == "id":
					ids[a.Value] = true
				case a.Name.Local == "href" && strings.HasPrefix(a.Value, "#"), a.Name.Local == "aria-labelledby":
					wanted = append(wanted, strings.Fields(strings.TrimPrefix(a.Value, "#"))...)
				}
			}
			if e.Name.Local == "svg" {
				plots++
			}
		case xml.EndElement:
			if len(stack) == 0 || stack[len(stack)-1] != e.Name.Local {
				t.Fatalf("</%s> closes nothing; open are %v", e.Name.Local, stack)
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) > 0 {
		t.Errorf("%v are not closed", stack)
	}
	for _, id := range wanted {
		if !ids[id] {
			t.Errorf("#%s leads nowhere", id)
		}
	}
	if plots < 20 {
		t.Errorf("there are %d plots, want two for each target and more", plots)
	}
	for _, want := range []string{"kind=0&lt;&amp;&gt;", "work.fib starts a goroutine for 500 ns of work", "Nothing to fix.", "universal scalability law", "contention 0.0"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	empty := page(t, diagnose.ReportOn([]*evidence.Observation{made(map[dissect.Group]float64{dissect.Own: 1})}, nil))
	if !strings.Contains(empty, "Nothing to fix was found.") {
		t.Error("the page of a report without findings does not say so")
	}
}

// A benchmark works while its timer is stopped, so that its CPU time is more than its time
// allows.
func TestMoreCPUsThanThereAre(t *testing.T) {
	o := made(quiet)
	o.Largest().CPU = flat(3e-3)
	var text bytes.Buffer
	if err := diagnose.ReportOn([]*evidence.Observation{o}, nil).Print(&text, ""); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), "CPUs busy"); got != 1 || strings.Contains(text.String(), "6.00") {
		t.Errorf("of 2 CPUs 6 are said to be busy:\n%s", text.String())
	}
}

// faster has the most CPUs so many times as fast as one, round by round.
func faster(o *evidence.Observation, procs int, speedups ...float64) *evidence.Observation {
	one, most := &o.Points[0], o.Largest()
	one.Seconds, most.Seconds, most.Procs = nil, nil, procs
	for _, s := range speedups {
		one.Seconds, most.Seconds = append(one.Seconds, 1e-3), append(most.Seconds, 1e-3/s)
	}
	return o
}

// Finding nothing does not mean that there is nothing to fix where the rounds are too few, or differ too
// much, to tell whether more CPUs help; or where nobody has looked.
func TestUntold(t *testing.T) {
	wild := []float64{0.76, 4.29, 1.1, 2.2, 0.9, 3}
	alone, unseen := made(quiet), faster(made(quiet), 2, 2, 2, 2)
	alone.Points = alone.Points[1:]
	unpaired := faster(made(quiet), 4, wild...)
	unpaired.Points[1].Seconds = append(unpaired.Points[1].Seconds, 1)
	unseen.Points[1] = evidence.Point{Procs: 2, Seconds: unseen.Points[1].Seconds}
	for name, c := range map[string]struct {
		o    *evidence.Observation
		want string
	}{
		"wild":            {faster(made(quiet), 4, wild...), "the speedup of 4 CPUs over 1 is uncertain: it is between 0.76 and 4.29, by 6 rounds. A machine that does nothing else would tell, or more rounds, such as --rounds 24"},
		"three rounds":    {faster(made(quiet), 4, wild[:3]...), "between 0.76 and 4.29, by 3 rounds. A machine that does nothing else would tell, or more rounds, such as --rounds 24"},
		"two rounds":      {faster(made(quiet), 4, 1.9, 1.95), "with fewer than 3 rounds it is not known how certain the speedup of 4 CPUs over 1 is: want --rounds 3 or more"},
		"more rounds":     {faster(made(quiet), 4, slices.Repeat([]float64{0.76, 1.3, 1.4, 1.4, 1.5, 4.29}, 4)...), ""},
		"some more":       {faster(made(quiet), 4, slices.Repeat(wild, 2)...), "--rounds 48"},
		"one side ended":  {unpaired, "by 6 rounds. A machine that does nothing else would tell, or more rounds, such as --rounds 24"},
		"steady":          {faster(made(quiet), 4, 1.9, 1.95, 2.01, 1.9, 1.8, 1.9), ""},
		"a gain for sure": {faster(made(quiet), 4, 1.2, 3.4, 2.1, 1.9, 3.8, 2), ""},
		"serial":          {faster(made(quiet), 4, 1, 0.97, 1.3, 1, 1.1, 0.9), ""},
		"serial on two":   {faster(made(quiet), 2, 1, 0.97, 1.1, 1, 1.02, 0.9), ""},
		"two CPUs":        {faster(made(quiet), 2, 0.41, 1.2, 1.63, 0.99, 0.98, 0.6), "it is between 0.41 and 1.63, by 6 rounds"},
		"two busy CPUs":   {faster(made(quiet), 2, 0.63, 0.84, 0.96, 0.84, 0.9, 0.7), "the speedup of 2 CPUs over 1 is uncertain: it is between 0.63 and 0.96"},
		"one GOMAXPROCS":  {alone, ""},
		"not looked at":   {unseen, "it was not looked into"},
		"a cause":         {faster(recursive(t), 4, wild...), ""},
	} {
		r := diagnose.ReportOn([]*evidence.Observation{c.o}, nil)
		if got := r.Targets[0].Untold; !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: untold is %q, want %q", name, got, c.want)
		}
		var text bytes.Buffer
		if err := r.Print(&text, ""); err != nil {
			t.Fatal(err)
		}
		for what, said := range map[string]string{"text": text.String(), "page": page(t, r)} {
			if sure := regexp.MustCompile(`(?i)\bnothing to fix\.?(\n|<)`).MatchString(said); sure != (name != "a cause" && c.want == "") {
				t.Errorf("%s: the %s is sure that there is nothing to fix: %v", name, what, sure)
			}
		}
		if err := schema(t).Validate(generic(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
