package simcmd_test

import (
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	out := mustRun(t, "--file", "-", "--controller", "fixed:2,fixed", "--seeds", "1-3")
	for _, want := range []string{
		"fixed(2), 3 seeds",
		"score: median (worst seed)", "last third: score / N/N*", "seconds to 95 %", "real completions over ideal",
		"quick             2  1.000 (1.000)  1.000 (1.000)",
		"never / never",
		"over all scenarios",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if again := mustRun(t, "--file", "-", "--controller", "fixed:2,fixed", "--seeds", "1-3"); again != out {
		t.Error("the same command prints something else")
	}
}

func TestOneController(t *testing.T) {
	out := mustRun(t, "--scenario", "smt16", "--controller", "fixed", "--seeds", "1")
	if strings.Contains(out, "real completions over ideal") {
		t.Error("one controller needs no comparison")
	}
}
