package lab_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
	"github.com/sweetspot-go/sweetspot/lab"
)

// diagnose runs the command, which starts this test program for the recordings.
func diagnose(ctx context.Context, args ...string) (string, error) {
	c := lab.Command()
	var out bytes.Buffer
	c.SetOut(&out)
	c.SetErr(new(bytes.Buffer))
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append([]string{"diagnose"}, args...))
	err := c.ExecuteContext(ctx)
	return out.String(), err
}

func TestDiagnose(t *testing.T) {
	rerun.Skip(t)
	keep := filepath.Join(t.TempDir(), "recordings")
	out, err := diagnose(t.Context(), "a3", "Do/2", "Do/24", "--size", "quick", "--rounds", "1", "--keep", keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2 workers and 24 workers", "the range of 1 recording of each", "Time", "Lines that allocate", "hashText", "goroutines created", "Escape analysis",
		"with fewer than 4 recordings of each nothing is said to differ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	// The pool starts its workers, one that feeds them, and one that waits for them.
	if created := regexp.MustCompile(`goroutines created +goroutines +4\.00 +26\.0`); !created.MatchString(out) {
		t.Errorf("want 4 and 26 goroutines created:\n%s", out)
	}
	for _, side := range []string{"Do-2", "Do-24"} {
		for _, name := range []string{"cpu.pprof", "allocs.pprof", "trace.out"} {
			if s, err := os.Stat(filepath.Join(keep, side, "1", name)); err != nil || s.Size() == 0 {
				t.Errorf("%s of %s is not kept: %v", name, side, err)
			}
		}
	}
	if _, err := diagnose(t.Context(), "A3", "--keep", keep); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("keeping recordings beside others gives the error %v", err)
	}
}

// The report of A8 has the diagnosis in full.
func TestDiagnosisInFull(t *testing.T) {
	rerun.Skip(t)
	if testing.Short() {
		t.Skip("it records for some seconds")
	}
	text, err := lab.InFull(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"12 workers and 24 workers", "Functions by their own share", "Lines that allocate", "Scheduler", "Escape analysis"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

func TestDiagnoseWithoutAnAxis(t *testing.T) {
	rerun.Skip(t)
	out, err := diagnose(t.Context(), "D1", "--size", "quick", "--rounds", "1")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "Slow and JoinSerial\n") {
		t.Errorf("it compares others:\n%s", out)
	}
	// The work has other parts of the program.
	if left := regexp.MustCompile("Escape analysis: left out.*no source"); !left.MatchString(out) {
		t.Errorf("want no escape analysis:\n%s", out)
	}
}

// Unless points are named, the two are those of the article, or the first.
func TestDiagnosedByDefault(t *testing.T) {
	for id, want := range map[string]string{
		"A6": "counting units/12, counting units/24",
		"B4": "plain/8, plain/16", // not of workers
		"D2": "Slow/0, Parallel1/0",
	} {
		if got, err := lab.DefaultPair(id, "quick"); got != want || err != nil {
			t.Errorf("%s: %s, error %v, want %s", id, got, err, want)
		}
	}
}

func TestDiagnoseRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"Z9"}, `unknown experiment "Z9"`},
		{[]string{"A3", "--size", "huge"}, `--size is "huge"`},
		{[]string{"A3", "--rounds", "0"}, "--rounds is 0, want 1 or more"},
		{[]string{"A3", "Do/12"}, "want two points to compare, not 1"},
		{[]string{"A3", "Do/24", "Do/24"}, "want two different ones"},
		{[]string{"A3", "Do/12", "Do/100000"}, `no point "Do/100000" to measure at size full: it has Do/1; Do/2; `},
		{[]string{"A3", "nobody/12", "Do/24"}, `no point "nobody/12"`},
		{[]string{"A8", "Do/12", "Do, runtime/12"}, `no point "Do, runtime/12" to measure at size full: it has Do/12; Do/24; Map`},
		{[]string{"D1", "Slow", "Slow/0"}, "want two different ones"},
	} {
		if _, err := diagnose(t.Context(), c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q gives the error %v, want %q", c.args, err, c.want)
		}
	}
}

func TestDiagnoseStops(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(enough)
	if _, err := diagnose(ctx, "A3", "--size", "quick"); !errors.Is(err, enough) {
		t.Errorf("the error is %v", err)
	}
}

// TestSourcesCompile lets the compiler look at each source that this package says
// compiles by itself.
func TestSourcesCompile(t *testing.T) {
	rerun.Skip(t)
	e, err := lab.EscapesOf(t.Context(), "A5")
	if err != nil {
		t.Fatal(err)
	}
	if e.Missing != "" {
		t.Fatal(e.Missing)
	}
	escapes := map[string][]string{}
	for _, x := range e.Escapes {
		escapes[x.Func] = append(escapes[x.Func], x.What)
	}
	// The article's surprise: the buffer of a unit is on the heap.
	if got := escapes["hashNumber"]; len(got) != 1 || !strings.Contains(got[0], "make([]byte, 8) escapes") {
		t.Errorf("what escapes in hashNumber is %q", got)
	}
	if got := escapes["count"]; len(got) != 0 {
		t.Errorf("what escapes in count is %q", got)
	}
}
