package simcmd_test

import (
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
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
	if strings.Contains(out, "Bars") {
		t.Error("scenarios of a file have no bars")
	}
	if again := mustRun(t, "--file", "-", "--controller", "fixed:2,fixed", "--seeds", "1-3"); again != out {
		t.Error("the same command prints something else")
	}
}

func TestBarsArePrinted(t *testing.T) {
	rerun.Skip(t)
	out := mustRun(t, "--scenario", "cpu2,smt16", "--controller", "fixed", "--seeds", "1")
	for _, want := range []string{"7 of 8 bars met", "cpu2         all 6 met", "smt16        N/N* missed by 0.5 (at most 1.5)"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "real completions over ideal") {
		t.Error("one controller needs no comparison")
	}
}
