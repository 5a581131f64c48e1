package diagnose_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
)

// A comparison of two runs lists what is gone, what is new and what is left, in all forms.
func TestComparison(t *testing.T) {
	named := func(name string, o *evidence.Observation) *evidence.Observation {
		o.Name = name
		return o
	}
	slower := edited(named("A", handed(t)), func(p *evidence.Point) { p.Seconds = flat(1e-3) })
	base := diagnose.ReportOn([]*evidence.Observation{slower, named("B", recursive(t)), named("C", made(quiet)), named("D", locked(t))}, nil)
	r := diagnose.ReportOn([]*evidence.Observation{named("A", handed(t)), named("B", made(quiet)), named("C", recursive(t)), named("E", made(quiet))}, nil)
	r.Compared = diagnose.Compare(base, r)
	if err := schema(t).Validate(generic(t, r)); err != nil {
		t.Error(err)
	}
	var text bytes.Buffer
	if err := r.Print(&text, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Compared with sweetspot diagnose ., 2026-11-22 01:00 UTC\n",
		"    - 500 µs, and 1.00 ms before\n",
		"    - still there, 80 %, and 80 % before: work.hand hands over one cheap item at a time\n",
		"    - gone, 80 % before: work.fib starts a goroutine for 500 ns of work\n",
		"    - new, 80 %: work.fib starts a goroutine for 500 ns of work\n",
		"    - 500 µs, and 500 µs before: the ranges overlap\n",
		"  Only one of both has E, D.\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q", want)
		}
	}
	for _, want := range []string{"Compared with", "Only one of both has E, D."} {
		if html := page(t, r); !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}

// A function that the compiler inlines has the name of another in each build. Its cause is the
// same.
func TestComparisonOfInlined(t *testing.T) {
	report := func(into string) *diagnose.Report {
		o := edited(handed(t), func(p *evidence.Point) {
			for i := range p.Activity.Parks {
				name := "example.com/work." + into + "hand.func1"
				p.Activity.Parks[i].Place.Func, p.Profile.Lines[i].Place.Func = name, name
			}
		})
		return diagnose.ReportOn([]*evidence.Observation{o}, nil)
	}
	fingerprint := func(r *diagnose.Report) string {
		var text bytes.Buffer
		if err := r.WriteSARIF(&text, ""); err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(text.String(), `"sweetspot/v1": "`)
		value, _, _ := strings.Cut(after, `"`)
		return value
	}
	one, two := report("one."), report("two.")
	all := diagnose.Compare(one, two).Targets[0].Findings
	if len(all) != 1 || all[0].Before == nil || all[0].After == nil || all[0].Func != "example.com/work.hand" {
		t.Errorf("%+v, want one cause in hand, before and after", all)
	}
	if one, two := fingerprint(one), fingerprint(two); one == "" || one != two {
		t.Errorf("the fingerprints are %q and %q, want the same", one, two)
	}
}

// A recording that is the base is read as the other is, with what the command line says of it.
func TestABaseIsReadAsTheOther(t *testing.T) {
	dir := t.TempDir()
	source, path := filepath.Join(dir, "main.go"), filepath.Join(dir, "cpu.pprof")
	if err := os.WriteFile(source, []byte("package main\n\nfunc pass(c chan int) {\n\tc <- 1\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	// All CPUs are in use for a second, half of those that --procs says.
	cpus := int64(runtime.NumCPU())
	send := &profile.Function{ID: 1, Name: "runtime.chansend1"}
	pass := &profile.Function{ID: 2, Name: "main.pass", Filename: source}
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DurationNanos: 1e9,
		Function:      []*profile.Function{send, pass},
		Location: []*profile.Location{
			{ID: 1, Address: 1, Line: []profile.Line{{Function: send}}}, {ID: 2, Address: 2, Line: []profile.Line{{Function: pass, Line: 4}}},
		},
	}
	p.Sample = []*profile.Sample{{Location: p.Location, Value: []int64{100 * cpus, cpus * 1e9}}}
	var b bytes.Buffer
	if err := errors.Join(p.Write(&b), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, "--procs", strconv.FormatInt(2*cpus, 10), "--base", path, path)
	if err != nil || !strings.Contains(out, "50 %, and 50 % before") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Each finding is a result, with its line below the directory and a rule.
func TestSARIF(t *testing.T) {
	all := []*evidence.Observation{recursive(t), flooded(t), made(quiet)}
	dir := strings.TrimSuffix(at(t, "", 0).File, "work.go")
	var b bytes.Buffer
	if err := diagnose.ReportOn(all, nil).WriteSARIF(&b, dir); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID, HelpURI string }
				}
			}
			Results []struct {
				RuleID, Level string
				RuleIndex     int
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 {
		t.Fatalf("version %s, runs %+v; want two results", log.Version, log.Runs)
	}
	run := log.Runs[0]
	for i, want := range []struct {
		check, level string
		line         int
	}{{"recspawn", "warning", 20}, {"unboundedgo", "note", 67}} {
		r := run.Results[i]
		at := r.Locations[0].PhysicalLocation
		if r.RuleID != want.check || run.Tool.Driver.Rules[r.RuleIndex].ID != want.check || r.Level != want.level ||
			at.ArtifactLocation.URI != "work.go" || at.Region.StartLine != want.line || r.PartialFingerprints["sweetspot/v1"] == "" || !strings.Contains(r.Message.Text, "sweetspot.") {
			t.Errorf("result %d is %+v, want %s as %s in line %d", i, r, want.check, want.level, want.line)
		}
	}
}
