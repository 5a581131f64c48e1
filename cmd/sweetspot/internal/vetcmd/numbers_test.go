package vetcmd_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// byHand has two numbers, and a loop without one.
const byHand = `
-- hand.go --
package m

const parallelism = 4

func square(in, out chan int) {
	for i := 0; i < parallelism; i++ {
		go func() {
			for v := range in {
				out <- v * v
			}
		}()
	}
}

func each(urls []string, get func(string)) {
	for _, u := range urls {
		go get(u)
	}
}

type config struct{ maxConns int }

var standard = config{maxConns: 10}
`

func TestNumbers(t *testing.T) {
	dir := module(t, byHand)
	out, diagnostics, code := command(t, dir, "--numbers", "--json", "vet.json", "--sarif", "vet.sarif")
	if code != 0 || diagnostics != "" {
		t.Errorf("exit %d, %q; want 0 and nothing", code, diagnostics)
	}
	var rows []string
	for line := range strings.Lines(out) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"PLACE NUMBER THE WORK INSTEAD",
		"hand.go:6:2: workers: parallelism = 4 computes sweetspot.Pool or ForEachSeq",
		"hand.go:17:3: no number: one for each element is unknown sweetspot.ForEach",
		"hand.go:23:23: setting: 10 waits a sweetspot.Limiter, with this as its Max",
		"",
		"3 places: behind 1 the work waits, behind 1 it computes, behind 1 it is unknown.",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}

	text := read(t, dir, "vet.json")
	validate(t, text)
	var report struct {
		Findings []struct {
			Check, Severity string
			Number          struct{ Kind, Value, Work, Instead string }
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if f := report.Findings; len(f) != 3 || f[0].Check != "numbers" || f[0].Severity != "note" || f[0].Number.Work != "computes" ||
		f[1].Number.Kind != "no number" || f[1].Number.Work != "unknown" || f[2].Number.Value != "10" {
		t.Errorf("%+v", f)
	}
	if s := string(read(t, dir, "vet.sarif")); strings.Count(s, `"level": "note"`) != 3 {
		t.Errorf("SARIF without three notes:\n%s", s)
	}
	if out, _, code := command(t, dir, "--numbers", "--baseline", "known.txt", "--write-baseline"); code != 0 || out != "" {
		t.Errorf("--write-baseline: exit %d, %q", code, out)
	}
	if out, _, code := command(t, dir, "--numbers", "--baseline", "known.txt"); code != 0 || out != "No number that bounds concurrency was found.\n" {
		t.Errorf("with all known: exit %d, %q", code, out)
	}
}
