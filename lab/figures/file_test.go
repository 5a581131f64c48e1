package figures_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// real is a file as the lab writes it, of the machine that the test runs on.
func real() *figures.File {
	return &figures.File{
		Version: figures.Version,
		Machine: figures.ThisMachine(),
		Run:     figures.Run{Scale: "quick", Rounds: 2, Began: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Seconds: 1.5, Confidence: 0.95},
		Experiments: []figures.Experiment{{
			ID: "A6", Title: "Counting", Article: "An article", About: "It counts.", Claim: "500 ns",
			SizeArticle: "3,000 units", SizeHere: "10 units", Axis: figures.Axis{Name: "workers", Log2: true}, Better: "lower",
			Verdict: "each costs 2 µs", Effect: figures.Shows, Holds: true,
			Points: []figures.Point{
				{Label: "Do", X: 1, Y: 2, Unit: "ms", Low: 1, High: 3, Samples: []float64{1, 3}, CPUs: 2, Panel: "a task"},
				{Label: "Map", Y: 1, Unit: "ms", Low: 1, High: 1, Samples: []float64{1, 1}, CPUs: 2, Ours: true},
				{Label: "Map", Y: 0, Unit: "allocs", Samples: []float64{0, 0}, CPUs: 2, Size: "5 units", Ours: true, Aside: true},
			},
			Fits:      []figures.Fit{{Label: "Do", Intercept: 1, Slope: -0.1, Low: -0.2, High: 0.1, From: 2}},
			Ours:      &figures.Ours{Label: "Map", Y: 1, Unit: "ms", Ratio: 2, Low: 1, High: 3, Best: "Do, workers 1"},
			Notes:     []string{"a note"},
			WhyUntold: "too few rounds", WhyShort: "it is short", Further: "do more",
			Rounds: 1,
			Series: []figures.Series{
				{Panel: "a task", Label: "a law", Name: "limit", Unit: "at a time", Times: []float64{0.1, 0.2}, Values: []float64{1, 2}},
				{Panel: "a task", Label: "ours", Name: "usage", Unit: "%", Times: []float64{0.1}, Values: []float64{-100}, Ours: true, Goal: true},
			},
			Heat: []figures.Heat{{
				Title: "A score", X: "gain", Y: "rate", Unit: "of the best", Better: "higher",
				Cells: []figures.HeatCell{{X: 0.1, Y: 0.3, Value: 0.9}},
			}},
		}, {
			ID: "C6", Title: "Processes", Article: "Another", About: "It serves.", Claim: "10 %", Better: "higher",
			Verdict: "not measured: it failed", Points: []figures.Point{}, Error: "no sockets",
		}},
	}
}

func TestFileIsReadAsWritten(t *testing.T) {
	var b bytes.Buffer
	if err := real().Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := figures.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if want := real(); !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"version": 2, "experiments": []}`: "version 2, want 1",
		`{}`:                                "version 0, want 1",
		`[]`:                                "cannot unmarshal",
		`{"version": 1, "experiments": [{"id": "../a"}]}`: `the ID "../a", want a letter and a number`,
		`{"version"`: "unexpected EOF",
		``:           "EOF",
	} {
		if _, err := figures.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "reading figures: ") {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(figures.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("figures.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("figures.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func generic(t *testing.T, f *figures.File) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}

func TestFilesAreValid(t *testing.T) {
	s := schema(t)
	if err := s.Validate(generic(t, real())); err != nil {
		t.Error(err)
	}
	sample, err := os.Open("../internal/report/testdata/figures.json")
	if err != nil {
		t.Fatal(err)
	}
	defer sample.Close()
	doc, err := jsonschema.UnmarshalJSON(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

func TestWrongFilesAreNotValid(t *testing.T) {
	s := schema(t)
	experiment := func(f map[string]any) map[string]any { return f["experiments"].([]any)[0].(map[string]any) }
	failed := func(f map[string]any) map[string]any { return f["experiments"].([]any)[1].(map[string]any) }
	point := func(f map[string]any) map[string]any { return experiment(f)["points"].([]any)[0].(map[string]any) }
	ours := func(f map[string]any) map[string]any { return experiment(f)["ours"].(map[string]any) }
	seen := func(f map[string]any, what string) map[string]any {
		return experiment(f)[what].([]any)[0].(map[string]any)
	}
	for name, spoil := range map[string]func(f map[string]any){
		"another version":               func(f map[string]any) { f["version"] = json.Number("2") },
		"no version":                    func(f map[string]any) { delete(f, "version") },
		"no machine":                    func(f map[string]any) { delete(f, "machine") },
		"no CPUs":                       func(f map[string]any) { f["machine"].(map[string]any)["cpus"] = json.Number("0") },
		"a scale of its own":            func(f map[string]any) { f["run"].(map[string]any)["scale"] = "huge" },
		"no time":                       func(f map[string]any) { f["run"].(map[string]any)["began"] = "yesterday" },
		"no rounds":                     func(f map[string]any) { f["run"].(map[string]any)["rounds"] = json.Number("0") },
		"experiments by name":           func(f map[string]any) { f["experiments"] = map[string]any{} },
		"an odd ID":                     func(f map[string]any) { experiment(f)["id"] = "six" },
		"no claim":                      func(f map[string]any) { delete(experiment(f), "claim") },
		"no verdict":                    func(f map[string]any) { experiment(f)["verdict"] = "" },
		"an effect of its own":          func(f map[string]any) { experiment(f)["effect"] = "perhaps" },
		"holds in words":                func(f map[string]any) { experiment(f)["holds"] = "yes" },
		"better is faster":              func(f map[string]any) { experiment(f)["better"] = "faster" },
		"no points":                     func(f map[string]any) { experiment(f)["points"] = []any{} },
		"ours is missing":               func(f map[string]any) { delete(experiment(f), "ours") },
		"a figure in words":             func(f map[string]any) { point(f)["y"] = "2 ms" },
		"no interval":                   func(f map[string]any) { delete(point(f), "low") },
		"an empty size":                 func(f map[string]any) { point(f)["size"] = "" },
		"a size that is not a text":     func(f map[string]any) { point(f)["size"] = json.Number("5") },
		"no samples":                    func(f map[string]any) { point(f)["samples"] = []any{} },
		"a sample that is not a figure": func(f map[string]any) { point(f)["samples"] = []any{json.Number("1"), nil} },
		"ours without a ratio":          func(f map[string]any) { delete(ours(f), "ratio") },
		"a ratio of 0":                  func(f map[string]any) { ours(f)["ratio"] = json.Number("0") },
		"a series of nobody":            func(f map[string]any) { seen(f, "series")["label"] = "" },
		"a series without times":        func(f map[string]any) { delete(seen(f, "series"), "times") },
		"a time before all":             func(f map[string]any) { seen(f, "series")["times"] = []any{json.Number("-1")} },
		"heat without a field":          func(f map[string]any) { seen(f, "heat")["cells"] = []any{} },
		"heat that is better faster":    func(f map[string]any) { seen(f, "heat")["better"] = "faster" },
		"an empty panel":                func(f map[string]any) { point(f)["panel"] = "" },
		"failed, and yet it holds":      func(f map[string]any) { failed(f)["holds"] = true },
	} {
		f := generic(t, real())
		spoil(f)
		if err := s.Validate(f); err == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// Every field is in the schema, with what it means, and the schema has no other.
func TestSchemaHasEveryField(t *testing.T) {
	var root struct {
		Properties map[string]json.RawMessage
		Defs       map[string]struct {
			Properties map[string]json.RawMessage
		} `json:"$defs"`
	}
	if err := json.Unmarshal(figures.Schema, &root); err != nil {
		t.Fatal(err)
	}
	same := func(of any, properties map[string]json.RawMessage) {
		ty := reflect.TypeOf(of)
		names := map[string]bool{}
		for i := range ty.NumField() {
			name, _, _ := strings.Cut(ty.Field(i).Tag.Get("json"), ",")
			names[name] = true
			if properties[name] == nil {
				t.Errorf("%v.%s: %q is not in the schema", ty, ty.Field(i).Name, name)
			}
		}
		for name := range properties {
			if !names[name] {
				t.Errorf("%v has no field %q", ty, name)
			}
		}
	}
	same(figures.File{}, root.Properties)
	same(figures.Machine{}, root.Defs["machine"].Properties)
	same(figures.Run{}, root.Defs["run"].Properties)
	same(figures.Experiment{}, root.Defs["experiment"].Properties)
	same(figures.Point{}, root.Defs["point"].Properties)
	same(figures.Series{}, root.Defs["series"].Properties)
	same(figures.Heat{}, root.Defs["heat"].Properties)
	same(figures.Fit{}, root.Defs["fit"].Properties)
	same(figures.Ours{}, root.Defs["ours"].Properties)
}

// A file from before there were effects tells what held from what did not, but not why
// not.
func TestEffectsOfAnOlderFile(t *testing.T) {
	text := `{"version":1,"experiments":[{"id":"A1","holds":true},{"id":"A2","holds":false},{"id":"A3","holds":false,"error":"broken"},{"id":"A4","holds":false,"effect":"absent"}]}`
	f, err := figures.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []figures.Effect{figures.Shows, figures.Untold, "", figures.Absent} {
		if got := f.Experiments[i].Effect; got != want {
			t.Errorf("%s: effect %q, want %q", f.Experiments[i].ID, got, want)
		}
	}
}
