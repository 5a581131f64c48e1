package run_test

import (
	"os/exec"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestQuoteCommand(t *testing.T) {
	got := run.QuoteCommand([]string{"a-b", "", "c d", "e'f", "x=1", "/p/q.r:s"})
	if want := `a-b '' 'c d' 'e'\''f' 'x=1' /p/q.r:s`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What is printed can be pasted: a shell reads the same words from it.
func TestQuotedCommandsRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, v := range []string{
		"", "-rf", "a b", "c'd", `e"f`, "$(touch x)", "`touch x`", "a;b", "*", "~", "$HOME", "&", "|", ">x",
		"new\nline", "tab\there", `back\slash`, "#x", "${IFS}", "{}", "é\xff\x01", "!!", "%s%n",
	} {
		line := run.QuoteCommand([]string{"printf", "%s", v})
		out, err := exec.Command(sh, "-c", line).Output()
		if err != nil || string(out) != v {
			t.Errorf("%q quoted as %s: %q, %v", v, line, out, err)
		}
	}
}
