package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/sweetspot-go/sweetspot/lab/figures"
	"github.com/sweetspot-go/sweetspot/lab/internal/report"
)

func benchmarks(t *testing.T, f *figures.File) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Benchmarks(f, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What benchstat reads is what was measured: every sample, in order, with its
// unit and the machine.
func TestBenchmarksAreReadBack(t *testing.T) {
	f := sample(t)
	var want []string
	for _, e := range f.Experiments {
		if e.Error != "" {
			continue
		}
		for _, p := range e.Points {
			for _, v := range p.Samples {
				unit := strings.ReplaceAll(p.Unit, " ", "-")
				if unit == "ms" { // which benchstat would not know
					v, unit = v*1e-3, "sec"
				}
				v, unit = benchunit.Tidy(v, unit)
				name := e.ID + "/variant=" + strings.NewReplacer(" ", "-", ",", "").Replace(p.Label)
				if e.Axis.Name != "" {
					name += fmt.Sprintf("/%s=%g", strings.ReplaceAll(e.Axis.Name, " ", "-"), p.X)
				}
				want = append(want, fmt.Sprintf("%s-%d %.6g %s", name, p.CPUs, v, unit))
			}
		}
	}
	var got []string
	better := map[string]string{}
	r := benchfmt.NewReader(strings.NewReader(benchmarks(t, f)), "lab.txt")
	for r.Scan() {
		switch x := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Errorf("line is not read: %v", x)
		case *benchfmt.UnitMetadata:
			better[x.Unit] = x.Value
		case *benchfmt.Result:
			for key, value := range map[string]string{"goos": "linux", "goarch": "amd64", "cpu": "Made-up CPU @ 3.00GHz", "scale": "quick"} {
				if x.GetConfig(key) != value {
					t.Fatalf("%s is %q, want %q", key, x.GetConfig(key), value)
				}
			}
			if len(x.Values) != 1 {
				t.Fatalf("%s has %d values", x.Name, len(x.Values))
			}
			got = append(got, fmt.Sprintf("%s %.6g %s", x.Name, x.Values[0].Value, x.Values[0].Unit))
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("there are %d samples, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("sample %d is %s, want %s", i, got[i], want[i])
		}
	}
	if better["requests/s"] != "higher" || better["sec/run"] != "lower" || better["sec"] != "lower" {
		t.Errorf("which way is better: %v", better)
	}
}

// Labels may hold anything; a line still is one.
func TestBenchmarksWithOddLabels(t *testing.T) {
	f := sample(t)
	f.Machine.Model = "two\nlines: of CPU"
	f.Experiments = f.Experiments[:1]
	f.Experiments[0].Points = []figures.Point{{Label: "a/b=c \"d\"\te-12", Unit: "", Samples: []float64{1}, CPUs: 1}}
	f.Experiments[0].Axis.Name = ""
	r := benchfmt.NewReader(strings.NewReader(benchmarks(t, f)), "lab.txt")
	n := 0
	for r.Scan() {
		switch x := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(x)
		case *benchfmt.Result:
			n++
			base, parts := x.Name.Parts()
			if string(base) != "A6" || len(parts) != 2 || string(parts[0]) != "/variant=a_b-c-d-e-12" || string(parts[1]) != "-1" {
				t.Errorf("the name is %s", x.Name)
			}
			if x.GetConfig("cpu") != "two lines: of CPU" {
				t.Errorf("the CPU is %q", x.GetConfig("cpu"))
			}
		}
	}
	if n != 1 {
		t.Errorf("there are %d results, want 1", n)
	}
}

func TestBenchmarksLeaveOutWhatFailed(t *testing.T) {
	f := sample(t)
	for i := range f.Experiments {
		f.Experiments[i].Error = "broken"
	}
	if text := benchmarks(t, f); strings.Contains(text, "Benchmark") {
		t.Errorf("what failed is there: %s", text)
	}
}
