package diagnose_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

// served answers as a program with net/http/pprof, but for some paths of it.
func served(t *testing.T, instead map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	all := map[string]http.HandlerFunc{"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "trace": pprof.Trace}
	maps.Copy(all, instead)
	for path, f := range all {
		mux.HandleFunc("/debug/pprof/"+path, f)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// All that a running program offers is recorded. The report says what it lacks.
func TestProgramThatRuns(t *testing.T) {
	rerun.Skip(t)
	end := make(chan struct{})
	defer close(end)
	go pass(end)
	url := served(t, map[string]http.HandlerFunc{
		"block":         func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not today", http.StatusForbidden) },
		"goroutineleak": http.NotFound,
	})
	const cause = "diagnose_test.pass hands over one cheap item at a time"
	var out, notices bytes.Buffer
	for try := 1; try == 1 || try <= 3 && !strings.Contains(out.String(), cause); try++ {
		// Again, because a crowded machine may give the program no CPU for a second.
		t.Chdir(t.TempDir())
		out.Reset()
		notices.Reset()
		c := diagnose.Command()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs([]string{"--seconds", "1", "--keep", "kept", "--json", "report.json", "--sarif", "report.sarif", url + "/debug/pprof/profile?seconds=30"})
		c.SetOut(&out)
		c.SetErr(&notices)
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%v; printed\n%s%s", err, &notices, &out)
		}
	}
	for _, want := range []string{
		"  1. ", cause, "recorded for ", "saved_test.go:", "Where goroutines stand",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
	if said := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(said, "no block was recorded: ") || !strings.Contains(said, "answers 403 Forbidden (not today)") || strings.Contains(said, "goroutineleak") {
		t.Errorf("the report does not say what is missing:\n%s", &out)
	}
	if said := notices.String(); !strings.Contains(said, "under a CPU profile for 1 s") || !strings.Contains(said, "slows it down") {
		t.Errorf("what it costs is not told before: %q", said)
	}
	for _, name := range []string{"cpu.pprof", "trace.out", "allocs.pprof", "goroutine.pprof"} {
		if info, err := os.Stat(filepath.Join("kept", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not kept: %v", name, err)
		}
	}
	doc, err := os.Open("report.json")
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	report, err := jsonschema.UnmarshalJSON(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t).Validate(report); err != nil {
		t.Error(err)
	}
	// The same from the files that were kept, and against what was found before.
	profile := filepath.Join("kept", "cpu.pprof")
	for _, base := range []string{"report.json", profile} {
		text, err := command(t, "--base", base, profile)
		if err != nil || !strings.Contains(text, cause) || !strings.Contains(text, "- still there, ") {
			t.Errorf("%v; of the files, after %s, it prints\n%s", err, base, text)
		}
	}
	if _, err := command(t, "--base", "report.json", "--base", profile, profile); err == nil || !strings.Contains(err.Error(), "want one report, or recordings alone") {
		t.Errorf("a report and a recording as --base: error %v", err)
	}
}

// Goroutines that nobody can wake are named with their line and number.
func TestLeaksAreFound(t *testing.T) {
	o := made(quiet)
	line := at(t, "hand.func1", 29)
	weighed := func(n float64) *dissect.Weighing {
		w := weight(line, n, nil)
		w.Own.Count = n
		return &dissect.Weighing{All: w.Own, Lines: []dissect.Weight{w}}
	}
	o.Largest().Leaks, o.Largest().Goroutines = weighed(300), weighed(310)
	all := diagnose.Examine(o, nil, 1)
	if len(all) != 1 || all[0].Check != "goroutineleak" || all[0].Place != line || all[0].Basis != diagnose.Memory || all[0].Title != "work.hand leaks goroutines: 300 of them" {
		t.Fatalf("found %+v, want the leak", all)
	}
	r := diagnose.ReportOn([]*evidence.Observation{o}, nil)
	if err := schema(t).Validate(generic(t, r)); err != nil {
		t.Error(err)
	}
	if !slices.ContainsFunc(r.Targets[0].Standing, func(s diagnose.Standing) bool { return s.Place == line && s.Count == 310 }) {
		t.Errorf("goroutines stand at %+v", r.Targets[0].Standing)
	}
}
