package main_test

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// benchstat reads the output, and finds the names that C7 has.
func TestOutputIsThatOfC7(t *testing.T) {
	out, err := exec.Command("go", "run", ".", "-n", "1000", "-rounds", "2").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	better := ""
	for r := benchfmt.NewReader(strings.NewReader(string(out)), "out"); r.Scan(); {
		switch x := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(x)
		case *benchfmt.UnitMetadata:
			better += x.OrigUnit + " " + x.Key + "=" + x.Value
		case *benchfmt.Result:
			name, _, _ := strings.Cut(string(x.Name.Full()), "/CPUs=")
			seen[name]++
			if len(x.Values) != 1 || !(x.Values[0].Value > 0) {
				t.Errorf("%s: %v", x.Name, x.Values)
			}
		}
	}
	if better != "ns/value better=lower" {
		t.Errorf("the unit is said to be %q", better)
	}
	for _, want := range []string{"unbuffered", "buffer-1", "buffer-100", "channel-of-channels"} {
		if seen["C7/variant="+want] < 2 {
			t.Errorf("%s is there %d times, want 2 or more: %s", want, seen["C7/variant="+want], out)
		}
	}
}
