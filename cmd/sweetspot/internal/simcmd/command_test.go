package simcmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/simcmd"
	"github.com/sweetspot-go/sweetspot/sim"
)

// two is a file of two short scenarios; the second has a step.

const two = `
scenario quick
	cpus 2
	seconds 2
	cpu exp(1ms)
scenario stepped
	cpus 2
	seconds 6
	cpu exp(1ms)
	wait exp(5ms)
	at 2s
		wait exp(50ms)
`

// sweetspot runs `sim` with args, and two as standard input.

func sweetspot(args ...string) (string, error) {
	c := simcmd.Command()
	var out bytes.Buffer
	c.SetArgs(args)
	c.SetIn(strings.NewReader(two))
	c.SetOut(&out)
	c.SetErr(&out)
	c.SilenceUsage, c.SilenceErrors = true, true
	err := c.Execute()
	return out.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := sweetspot(args...)
	if err != nil {
		t.Fatalf("sim %v: %v", args, err)
	}
	return out
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"x"}, "unknown command"},
		{[]string{"--seeds", "0-"}, "want numbers and ranges"},
		{[]string{"--scenario", "cpu3"}, `no scenario "cpu3": want one of cpu2, cpu4`},
		{[]string{"--scenario", ""}, "no scenario: want some of cpu2, cpu4"},
		{[]string{"--scenario", "cpu2, cpu2"}, `scenario "cpu2" is given twice`},
		{[]string{"--file", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"--file", "-", "--scenario", "cpu2"}, `no scenario "cpu2": want one of quick, stepped`},
		{[]string{"--controller", "pid"}, `unknown law "pid": want one of search`},
		{[]string{"--controller", ""}, "no controller"},
		{[]string{"--trace"}, "name one --scenario (26 are selected)"},
		{[]string{"--trace", "--json", "f"}, "[json trace]"},
		{[]string{"--scenario", "cpu2", "--json", filepath.Join(dir, "no", "f")}, "--json: open"},
		{[]string{"--scenario", "cpu2", "--html", filepath.Join(dir, "no", "f")}, "--html: open"},
		{[]string{"--json", "-", "--html", "-"}, "only one of them"},
	} {
		if out, err := sweetspot(c.args...); err == nil || !strings.Contains(err.Error(), c.want) || out != "" {
			t.Errorf("sim %q: %v; want an error with %q\n%s", c.args, err, c.want, out)
		}
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("scenario a\ncpus many"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sweetspot("--file", bad); err == nil || !strings.Contains(err.Error(), "bad: line 2: cpus \"many\"") {
		t.Errorf("a bad file: %v", err)
	}
}

// The contract of the JSON output: names, types, and null for what is not.

// The page needs nothing else and has the data that it draws.

func ExampleCommand() {
	c := simcmd.Command()
	c.SetArgs([]string{"--scenario", "smt16", "--controller", "fixed", "--seeds", "1"})
	c.SetOut(os.Stdout)
	if err := c.Execute(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// fixed(P), 1 seed
	// scenario         N*  score  worst   last   N/N*    t95 recover    act
	// smt16             8  0.966  0.966  0.966   2.00   0.00       -  0.966
	// mean 0.9659, mean of worst 0.9659, worst run 0.966
}

// TestHelpNamesColumns checks that the help explains each column of the table.
func TestHelpNamesColumns(t *testing.T) {
	words := strings.FieldsFunc(simcmd.Command().Long, func(r rune) bool { return strings.ContainsRune(" \n,;:.", r) })
	_, table, _ := strings.Cut(mustRun(t, "--scenario", "smt16", "--controller", "fixed", "--seeds", "1"), "\n")
	head, _, _ := strings.Cut(table, "\n")
	for _, column := range append(strings.Fields(head)[1:], "fixed(P)") {
		if !slices.Contains(words, column) {
			t.Errorf("sim --help does not explain %s", column)
		}
	}
}

// TestHelpNamesAll checks the names in the help. They are written out there since the command
// would otherwise parse all scenarios whenever it starts.
func TestHelpNamesAll(t *testing.T) {
	sentence := map[string]string{"": "Scenarios: ", "company": "Companies: "}
	want := map[string][]string{}
	for _, s := range sim.Scenarios() {
		want[""] = append(want[""], s.Name)
	}
	for _, c := range sim.Companies() {
		want["company"] = append(want["company"], c.Name)
	}
	for name, title := range sentence {
		c, _, err := simcmd.Command().Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(c.Long, title)
		list, _, _ = strings.Cut(list, ".")
		if got, want := strings.Join(strings.Fields(list), " "), strings.Join(want[name], ", "); got != want {
			t.Errorf("sim %s: %s%s\nwant %s", name, title, got, want)
		}
	}
}
