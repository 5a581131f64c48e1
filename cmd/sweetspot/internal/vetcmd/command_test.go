package vetcmd_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/internal/exitcode"
)

// pitfall has a finding of falseshare, which has a fix, and one of ignore.
const pitfall = `
-- sums.go --
package m

//sweetspot:ignore
func sums(parts [][]int) []int {
	sums := make([]int, len(parts))
	done := make(chan struct{})
	for i := range parts {
		go func() {
			for _, v := range parts[i] {
				sums[i] += v /* ü */
			}
			done <- struct{}{}
		}()
	}
	for range parts {
		<-done
	}
	return sums
}
`

// fixable is pitfall, and a file with a finding that can be fixed.
const fixable = pitfall + `
-- procs.go --
package m

import "runtime"

func procs() {
	runtime.GOMAXPROCS(runtime.NumCPU())
}
`

// command runs vet in dir, and returns what it writes and its exit status.
func command(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(dir)
	var out, diagnostics bytes.Buffer
	c := vetcmd.Command()
	c.SilenceUsage, c.SilenceErrors = true, true
	c.SetArgs(append([]string{}, args...)) // nil would be the arguments of the test
	c.SetOut(&out)
	c.SetErr(&diagnostics)
	c.SetContext(t.Context())
	if err := c.Execute(); err != nil {
		code = 255
		if e, ok := errors.AsType[*exitcode.Error](err); ok {
			code = e.Code
		}
		diagnostics.WriteString(err.Error())
	}
	return out.String(), diagnostics.String(), code
}

// The go command runs the checks, too. The package imports nothing, of which go vet would want
// the types.
func TestGoVet(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, pitfall)
	c := exec.CommandContext(t.Context(), "go", "vet", "-vettool="+self, "-ignore=false", ".")
	c.Dir = dir
	out, err := c.CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 || !strings.Contains(string(out), "sums.go:10:5: each goroutine") || strings.Contains(string(out), "directive") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMain lets go vet run the test as its tool.
func TestMain(m *testing.M) {
	vetcmd.Main(os.Args[1:])
	os.Exit(m.Run())
}

func TestText(t *testing.T) {
	dir := module(t, pitfall)
	out, diagnostics, code := command(t, dir)
	lines := strings.Split(out, "\n")
	if len(lines) != 6 ||
		!strings.HasPrefix(lines[0], "sums.go:3:1: this directive silences nothing") || !strings.HasSuffix(lines[0], " [ignore]") ||
		!strings.HasPrefix(lines[1], "sums.go:10:5: each goroutine") || !strings.HasSuffix(lines[1], " [falseshare]") ||
		lines[2] != "" ||
		lines[3] != "falseshare: see https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/falseshare.md" ||
		lines[4] != "ignore: see https://github.com/sweetspot-go/sweetspot/blob/main/docs/checks/ignore.md" {
		t.Errorf("output:\n%s", out)
	}
	if diagnostics != "" || code != 1 {
		t.Errorf("exit %d, %q; want 1 and nothing", code, diagnostics)
	}
	for _, c := range []struct {
		args []string
		want string // in the output
		code int
	}{
		{[]string{"--only", "ignore"}, "[ignore]", 1},
		{[]string{"--without", "ignore,falseshare"}, "", 0},
		{[]string{"--fail", "never"}, "[falseshare]", 0},
		{[]string{"--severity", "ignore=note,falseshare=note"}, "[falseshare]", 0},
		{[]string{"--severity", "ignore=note"}, "[falseshare]", 1},
		{[]string{"--info", "--fail", "info", "./..."}, "[falseshare]", 1},
	} {
		out, diagnostics, code := command(t, dir, c.args...)
		if !strings.Contains(out, c.want) || c.want == "" && out != "" || code != c.code || diagnostics != "" {
			t.Errorf("%q: exit %d, %q, %q; want %d and %q", c.args, code, out, diagnostics, c.code, c.want)
		}
	}
}

// Misuse is told before anything is looked at.
func TestMisuse(t *testing.T) {
	dir := module(t, pitfall)
	if err := os.WriteFile(filepath.Join(dir, "bad.txt"), []byte("# heading\n\nfalseshare sums\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--only", "falsshare"}, `there is no check "falsshare"; the checks are `},
		{[]string{"--without", "falsshare"}, `unboundedgo (with --info)`},
		{[]string{"--only", "ignore", "--without", "falseshare"}, "[only without]"},
		{[]string{"--fail", "always"}, `--fail "always": want quiet, info or never`},
		{[]string{"--fail", "info"}, "--fail info without --info"},
		{[]string{"--json", "-", "--sarif", "-"}, "only one of them can"},
		{[]string{"--diff", "--sarif", "-"}, "need the name of a file"},
		{[]string{"--write-baseline"}, "needs --baseline FILE"},
		{[]string{"--baseline", "absent.txt"}, "--write-baseline writes it"},
		{[]string{"--baseline", "bad.txt"}, `bad.txt: line 3: want CHECK PACKAGE FUNCTION: SOURCE LINE`},
		{[]string{"--json", "absent/vet.json"}, "--json: open absent"},
		{[]string{"--fix", "--diff"}, "[diff fix]"},
		{[]string{"--severity", "ignore=fatal"}, "--severity ignore=fatal: want error, warning or note"},
		{[]string{"--severity", "ignored=note"}, `there is no check "ignored"`},
		{[]string{"--severity", "unboundedgo=note"}, "the check unboundedgo has findings with --info only"},
		{[]string{"--numbers", "--info"}, "[info numbers]"},
		{[]string{"--fix", "--baseline", "bad.txt"}, "[baseline fix]"},
	} {
		out, diagnostics, code := command(t, dir, c.args...)
		if code != 255 || !strings.Contains(diagnostics, c.want) || out != "" {
			t.Errorf("%q: exit %d, %q, %q; want 255 and %q", c.args, code, diagnostics, out, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	dir := module(t, fixable+"-- broken/broken.go --\npackage broken\n\nvar x int = nil\n")
	out, diagnostics, code := command(t, dir, "--json", "-", "./...")
	if code != 255 || !strings.Contains(diagnostics, "1 package could not be looked at") {
		t.Errorf("exit %d, %q; want 255 and a package that could not be looked at", code, diagnostics)
	}
	validate(t, []byte(out))
	var got struct {
		Packages, Lines int
		Findings        []struct {
			Check, Grade, Package, Function, File, Text string
			Line, Column, EndLine                       int
			Fixes                                       []struct {
				Edits []struct{ File, New string }
			}
		}
		Broken []struct{ Package string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Packages != 1 || got.Lines != 27 || len(got.Broken) != 1 || got.Broken[0].Package != "example.org/m/broken" || len(got.Findings) != 3 {
		t.Fatalf("%+v", got)
	}
	f := got.Findings[2]
	if f.Check != "falseshare" || f.Grade != "quiet" || f.Package != "example.org/m" || f.Function != "sums" || f.File != "sums.go" ||
		f.Text != "sums[i] += v /* ü */" || f.Line != 10 || f.Column != 5 || f.EndLine != 10 {
		t.Errorf("%+v", f)
	}
	if f := got.Findings[0]; len(f.Fixes) == 0 || len(f.Fixes[0].Edits) == 0 || f.Fixes[0].Edits[0].File != "procs.go" {
		t.Errorf("no fix: %+v", f)
	}
}

//go:embed schema.json
var schemaText []byte

// validate compares JSON that the command has written with its schema.
func validate(t *testing.T, text []byte) {
	t.Helper()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// read returns what is in a file of dir.
func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSARIF(t *testing.T) {
	root := module(t, pitfall)
	// The module is in a folder of its repository, and its parent in no module.
	dir := filepath.Join(root, "go")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(root, ".git"), 0o777),
		os.Mkdir(dir, 0o777),
		os.Rename(filepath.Join(root, "sums.go"), filepath.Join(dir, "sums.go")),
		os.Rename(filepath.Join(root, "go.mod"), filepath.Join(dir, "go.mod")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	out, _, code := command(t, dir, "--sarif", "vet.sarif", "--severity", "falseshare=error")
	if code != 1 || !strings.HasPrefix(out, "sums.go:") || !strings.Contains(out, "[falseshare]") {
		t.Errorf("exit %d, %q; want 1 and the text besides", code, out)
	}
	text := read(t, dir, "vet.sarif")
	type message struct{ Text string }
	var got struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID, HelpURI      string
						ShortDescription message
					}
				}
			}
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct {
				RuleID, Level       string
				RuleIndex           int
				Message             message
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != "2.1.0" || len(got.Runs) != 1 || len(got.Runs[0].Results) != 2 || !got.Runs[0].Invocations[0].ExecutionSuccessful {
		t.Fatalf("%s", text)
	}
	run := got.Runs[0]
	for _, r := range run.Results {
		// What code scanning asks for: https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
		at := r.Locations[0].PhysicalLocation
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		level := map[string]string{"falseshare": "error", "ignore": "warning"}[r.RuleID]
		if rule.ID != r.RuleID || rule.HelpURI == "" || rule.ShortDescription.Text == "" || r.Message.Text == "" || r.Level != level ||
			at.ArtifactLocation.URI != "go/sums.go" || at.Region.StartLine == 0 || at.Region.StartColumn == 0 ||
			at.Region.EndLine < at.Region.StartLine || at.Region.EndColumn < 1 || len(r.PartialFingerprints) != 1 {
			t.Errorf("%+v of the rule %+v", r, rule)
		}
	}
	if run.Tool.Driver.Name != "sweetspot" || run.Results[0].PartialFingerprints["sweetspot/v1"] == run.Results[1].PartialFingerprints["sweetspot/v1"] {
		t.Errorf("%s", text)
	}
}

// A baseline outlives whatever moves a finding, and is told apart from a second one.
func TestBaseline(t *testing.T) {
	dir := module(t, pitfall)
	out, diagnostics, code := command(t, dir, "--baseline", "known.txt", "--write-baseline", "--json", "-", "--sarif", "vet.sarif")
	if code != 0 || !strings.Contains(diagnostics, "2 findings in known.txt") {
		t.Fatalf("--write-baseline: exit %d, %q", code, diagnostics)
	}
	validate(t, []byte(out))
	if sarif := read(t, dir, "vet.sarif"); !strings.Contains(out, `"known": 0`) || strings.Count(out, `"fingerprint"`) != 2 || bytes.Count(sarif, []byte(`"ruleIndex"`)) != 2 {
		t.Errorf("--write-baseline: want both findings, have\n%s\n%s", out, sarif)
	}
	move(t, dir, "package m\n", "package m\n\nimport _ \"unsafe\"\n\n// Moved down.\n")
	if out, diagnostics, code := command(t, dir, "--baseline", "known.txt"); code != 0 || out != "" || diagnostics != "" {
		t.Errorf("after a move: exit %d, %q, %q; want 0 and nothing", code, out, diagnostics)
	}
	move(t, dir, "//sweetspot:ignore\n", "//sweetspot:ignore\n//sweetspot:ignore\n")
	if out, _, code := command(t, dir, "--baseline", "known.txt"); code != 1 || strings.Count(out, "[ignore]") != 1 {
		t.Errorf("a second one: exit %d, %q; want 1 and one finding", code, out)
	}
	move(t, dir, "//sweetspot:ignore\n//sweetspot:ignore\n", "")
	if _, diagnostics, code := command(t, dir, "--baseline", "known.txt"); code != 0 || !strings.Contains(diagnostics, "1 line of known.txt not found any more; write it anew with --write-baseline, for all packages") {
		t.Errorf("one gone: exit %d, %q", code, diagnostics)
	}
	// What is not looked at may still be there.
	other := filepath.Join(dir, "other")
	if err := errors.Join(os.Mkdir(other, 0o777), os.WriteFile(filepath.Join(other, "other.go"), []byte("package other\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"./other"}, {"--only", "shardpad"}, {"--numbers"}} {
		if out, diagnostics, code := command(t, dir, append([]string{"--baseline", "known.txt"}, args...)...); code != 0 || diagnostics != "" {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, diagnostics)
		}
	}
}

// move replaces text in sums.go.
func move(t *testing.T, dir, old, new string) {
	t.Helper()
	name := filepath.Join(dir, "sums.go")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("there is no %q in %s", old, text)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFix(t *testing.T) {
	dir := module(t, fixable+`
-- twice.go --
package m

import r "runtime"

func twice() {
	r.GOMAXPROCS(r.NumCPU())
	r.GOMAXPROCS(r.NumCPU())
	println("twice")
}
-- two.go --
package m

import (
	"runtime"
	r "runtime"
)

func two() {
	r.GOMAXPROCS(r.NumCPU())
	println(runtime.NumGoroutine())
}
-- reasons.go --
package m

import "runtime"

var first = 1

func init() {
	runtime.GOMAXPROCS(runtime.NumCPU())
}

// It has a reason.
func init() {
	runtime.GOMAXPROCS(runtime.NumCPU())
}

func init() {
	// It has a reason.
	runtime.GOMAXPROCS(runtime.NumCPU())
}

func init() {}

var last = 2
-- renumbered.go --
package m

import "runtime"

var keep = 1

//line renumbered.go:4
func renumbered() {
	runtime.GOMAXPROCS(runtime.NumCPU())
	println(keep)
}
`)
	name := filepath.Join(dir, "procs.go")
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	diff, _, code := command(t, dir, "--diff")
	if code != 1 || !strings.HasPrefix(diff, "--- a/procs.go\n+++ b/procs.go\n@@ ") || strings.Contains(diff, "sums.go") {
		t.Errorf("--diff: exit %d\n%s", code, diff)
	}
	if after, _ := os.ReadFile(name); !bytes.Equal(after, before) {
		t.Errorf("--diff has changed the file:\n%s", after)
	}
	if diff, _, code := command(t, dir, "--diff", "--without", "maxprocs"); code != 1 || diff != "" {
		t.Errorf("--diff --without maxprocs: exit %d\n%s", code, diff)
	}
	out, diagnostics, code := command(t, dir, "--fix")
	if code != 1 || strings.Contains(out, "[maxprocs]") || !strings.Contains(out, "[ignore]") || diagnostics != "" {
		t.Errorf("--fix: exit %d, %q, %q", code, out, diagnostics)
	}
	for name, want := range map[string]string{
		"procs.go": "package m\n\nfunc procs() {\n}\n",
		// The line of the call, by its number in the file.
		"renumbered.go": "package m\n\nvar keep = 1\n\n//line renumbered.go:4\nfunc renumbered() {\n\tprintln(keep)\n}\n",
		"reasons.go": "package m\n\nvar first = 1\n\n// It has a reason.\nfunc init() {\n}\n\n" +
			"func init() {\n\t// It has a reason.\n}\n\nfunc init() {}\n\nvar last = 2\n",
		"two.go":   "package m\n\nimport (\n\t\"runtime\"\n)\n\nfunc two() {\n\tprintln(runtime.NumGoroutine())\n}\n",
		"twice.go": "package m\n\nfunc twice() {\n\tprintln(\"twice\")\n}\n",
	} {
		if after := string(read(t, dir, name)); after != want {
			t.Errorf("--fix has left in %s\n%s\nwant\n%s", name, after, want)
		}
	}
	if out, diagnostics, code := command(t, dir, "--only", "maxprocs"); code != 0 || out != "" || diagnostics != "" {
		t.Errorf("after --fix: exit %d, %q, %q", code, out, diagnostics)
	}
}

// A fix may add an import before those that it leaves unused.
func TestImportsOfAFix(t *testing.T) {
	const (
		before = "package m\n\nimport \"runtime\"\n\nfunc f() int {\n\treturn runtime.NumCPU()\n}\n"
		after  = "package m\n\nimport \"cmp\"\nimport \"runtime\"\n\nfunc f() int {\n\treturn cmp.Or(1)\n}\n"
		want   = "package m\n\nimport \"cmp\"\n\nfunc f() int {\n\treturn cmp.Or(1)\n}\n"
	)
	got, err := vetcmd.Tidied("f.go", []byte(before), []byte(after))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// Tests are looked at for what a fix would break, and for nothing else.
func TestFixOfTested(t *testing.T) {
	const procs = "package m\n\nimport \"runtime\"\n\nfunc init() {\n\truntime.GOMAXPROCS(runtime.NumCPU())\n}\n"
	dir := module(t, `
-- shards.go --
package m

import "sync"

type shard struct {
	mu sync.Mutex
	n  int
}

var shards [8]shard

func lock(h uint) { shards[h%8].mu.Lock() }
-- shards_test.go --
package m

import "sync"

var one = shard{sync.Mutex{}, 1}
-- procs_test.go --
`+procs+`-- broken/procs.go --
`+procs+`-- broken/procs_test.go --
package m

var x int = nil
`)
	before := read(t, dir, "shards.go")
	diff, diagnostics, code := command(t, dir, "--diff", "./...")
	if code != 1 || !strings.HasPrefix(diff, "--- a/broken/procs.go\n") || strings.Count(diff, "\n+++ ") != 1 || diagnostics != "" {
		t.Errorf("--diff: exit %d, %q, %q; want 1 and a change of broken/procs.go", code, diff, diagnostics)
	}
	out, diagnostics, code := command(t, dir, "--fix", "--json", "-", "./...")
	if code != 1 || strings.Count(out, `"check"`) != 1 || !strings.Contains(out, `"packages": 2`) || diagnostics != "" {
		t.Errorf("--fix: exit %d, %q, %q; want 1 and a finding in two packages", code, out, diagnostics)
	}
	if after := read(t, dir, "shards.go"); !bytes.Equal(after, before) {
		t.Errorf("--fix has broken the test:\n%s", after)
	}
	if after := read(t, dir, "broken/procs.go"); string(after) != "package m\n" {
		t.Errorf("--fix has left in broken/procs.go\n%s", after)
	}
	if after := read(t, dir, "procs_test.go"); string(after) != procs {
		t.Errorf("--fix has changed procs_test.go:\n%s", after)
	}
}
