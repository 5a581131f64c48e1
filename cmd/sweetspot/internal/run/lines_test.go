package run_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestTagged(t *testing.T) {
	for text, want := range map[string]string{
		"":           "",
		"\n":         "t \n",
		"a":          "t a\n",
		"a\n":        "t a\n",
		"a\n\nb":     "t a\nt \nt b\n",
		"\xff\x00\n": "t \xff\x00\n",
	} {
		if got := run.Tagged("t ", []string{text}); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// It does not matter in what pieces the text comes.
func TestTaggedInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		text := make([]byte, r.IntN(40))
		for i := range text {
			text[i] = "ab\n"[r.IntN(3)]
		}
		var pieces []string
		for rest := string(text); rest != ""; {
			n := 1 + r.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got, want := run.Tagged("x:", pieces), run.Tagged("x:", []string{string(text)}); got != want {
			t.Fatalf("%q in pieces: %q, want %q", pieces, got, want)
		}
	}
}

// writes holds what each write brought.
type writes []string

func (w *writes) Write(b []byte) (int, error) {
	*w = append(*w, string(b))
	return len(b), nil
}

// A last line and the newline that it gets are one write: another process may write to the same file.
func TestTaggedInOneWrite(t *testing.T) {
	var out, errs writes
	p := run.NewPrinter(&out, &errs, false)
	defer p.Close()
	if err := p.FinishRecord(run.Record{Seq: 1}, "v\t", "a\nb", "e"); err != nil {
		t.Fatal(err)
	}
	if len(out) != 1 || out[0] != "v\ta\nv\tb\n" || len(errs) != 1 || errs[0] != "v\te\n" {
		t.Errorf("writes %q and %q, want one each", out, errs)
	}
}

// A tag is printed with each line of both streams, of large outputs too.
func TestTagIsPrinted(t *testing.T) {
	var out, errs bytes.Buffer
	p := run.NewPrinter(&out, &errs, false)
	defer p.Close()
	big := strings.Repeat("0123456789\n", 100_000) + "end"
	for _, text := range []string{"a\nb", big} {
		out.Reset()
		errs.Reset()
		if err := p.FinishRecord(run.Record{Seq: 1}, "v\t", text, "e"); err != nil {
			t.Fatal(err)
		}
		want := "v\t" + strings.ReplaceAll(text, "\n", "\nv\t") + "\n"
		if out.String() != want || errs.String() != "v\te\n" {
			t.Errorf("%d bytes and %q, want %d bytes", out.Len(), errs.String(), len(want))
		}
	}
}
