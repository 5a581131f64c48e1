package record_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
	"github.com/sweetspot-go/sweetspot/lab/dissect"
)

func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"-json=0,/tmp/a b": "'-json=0,/tmp/a b'",
		"-json=0,/tmp/a'b": `"-json=0,/tmp/a'b"`,
	} {
		if got := record.Quoted(word); got != want {
			t.Errorf("%s is written %s, want %s", word, got, want)
		}
	}
}

func TestControl(t *testing.T) {
	if got := record.ControlOf([]int{1}, 3); len(got) != 0 {
		t.Errorf("with one GOMAXPROCS the loop took %v", got)
	}
	got := record.ControlOf([]int{1, 2}, 2)
	if len(got) != 2 {
		t.Fatalf("after two rounds there are %v", got)
	}
	for _, v := range got {
		if v <= 0 || v > 10 {
			t.Errorf("the loop took %g times as much", v)
		}
	}
}

// A command may print gigabytes.
func TestMute(t *testing.T) {
	if out, err := record.Kept(t.Context(), false, "go", "env", "GOOS"); err != nil || out != runtime.GOOS+"\n" {
		t.Errorf("kept %q, error %v", out, err)
	}
	if out, err := record.Kept(t.Context(), true, "go", "env", "GOOS"); err != nil || out != "" {
		t.Errorf("of a command %q is kept, error %v", out, err)
	}
}

// An argument of os.Exit that is deferred is evaluated long before the end.
func TestWrapLater(t *testing.T) {
	const text = "package main\n\nimport \"os\"\n\nfunc f() {\n\tdefer os.Exit(1)\n\tgo os.Exit(g(1, 2))\n}\n"
	want := strings.NewReplacer("defer os.Exit(", "defer "+dissect.Recorder+"Leave(os.Exit, ", "go os.Exit(", "go "+dissect.Recorder+"Leave(os.Exit, ").Replace(text)
	if got, _, err := record.Wrap(text); err != nil || got != want {
		t.Errorf("it is wrapped as (error %v)\n%s", err, got)
	}
}
