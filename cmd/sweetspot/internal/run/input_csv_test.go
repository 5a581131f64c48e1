package run_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// The rows are those of encoding/csv, though lines are read one by one.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "\"a\n\nb\",c", "a\"b\n", "\"a\"\"b\",\"\n\"\n\n", "a,\"b", "\r\n\"x\r\ny\"\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "\x00") || strings.HasPrefix(text, "\ufeff") || strings.Contains(text, "\r") && !strings.Contains(text, "\r\n") {
			t.Skip("no argument has a NUL, and the order mark and lone returns are taken in another way")
		}
		name := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			t.Skip("it is not CSV")
		}
		in, err := run.InputOf(t.Context(), []string{"--csv", "-a", name, "echo"})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range want {
			got, err := in.Next(t.Context())
			if err != nil || strings.Join(got, "|") != strings.Join(row, "|") {
				t.Fatalf("%q: row %q, %v, want %q", text, got, err, row)
			}
		}
		if row, err := in.Next(t.Context()); err == nil {
			t.Fatalf("%q: one row more, %q", text, row)
		}
	})
}

// A quote at a wrong place is named by its line in the list, not in its record.
func TestCSVErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a,b\n\nc,d\"e\"\n", `list: line 3, column 4: a quote within a field without quotes: want "a ""b""" for a "b"`},
		{"\"a\nb\"c,d\n", `list: line 2, column 2: text after a quoted field: want the separator, or "" for a quote in the field`},
		{"\"a\nb\nc\n", "list: a quote in line 1 is not closed"},
	} {
		in, err := run.InputOf(t.Context(), []string{"--csv", "-a", list(t, c.text), "echo"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = rows(in); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}
