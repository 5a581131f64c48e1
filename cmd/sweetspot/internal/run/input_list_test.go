package run_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func readAll(t *testing.T, r io.Reader, sep string) ([]string, error) {
	t.Helper()
	in := run.ReadValues(t.Context(), r, sep)
	var vals []string
	for {
		v, err := in.Next(t.Context())
		if err != nil {
			return vals, err
		}
		vals = append(vals, v)
	}
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		text string
		sep  string
		want []string
	}{
		{"", "\n", nil},
		{"\n\n", "\n", nil},
		{"a", "\n", []string{"a"}},
		{"a\nb\n", "\n", []string{"a", "b"}},
		{"a\n\n  \nb c\r\n", "\n", []string{"a", "  ", "b c\r"}},
		{"a\x00b\nc\x00\x00d", "\x00", []string{"a", "b\nc", "", "d"}},
		{"", "\x00", nil},
		{"a,,b\n", ",", []string{"a", "", "b\n"}},
		{",", ",", []string{""}},
		{"a--b---\n----", "--", []string{"a", "b", "-\n", ""}},
		{"---", "--", []string{"", "-"}},
	} {
		for name, r := range map[string]io.Reader{
			"at once":        strings.NewReader(c.text),
			"byte by byte":   iotest.OneByteReader(strings.NewReader(c.text)),
			"with the error": iotest.DataErrReader(strings.NewReader(c.text)),
		} {
			got, err := readAll(t, r, c.sep)
			if err != io.EOF || !slices.Equal(got, c.want) {
				t.Errorf("%q, %s: %q, %v, want %q", c.text, name, got, err, c.want)
			}
		}
	}
}

func TestLongValues(t *testing.T) {
	longest := strings.Repeat("x", run.MaxValue)
	got, err := readAll(t, strings.NewReader("a\n"+longest+"\nb"), "\n")
	if err != io.EOF || len(got) != 3 || got[1] != longest {
		t.Errorf("the longest value: %d values, %v", len(got), err)
	}
	for _, tail := range []string{"x\nb", "x", strings.Repeat("x", 5*run.ChunkSize)} {
		got, err := readAll(t, strings.NewReader("a\n"+longest+tail), "\n")
		if err == nil || !strings.Contains(err.Error(), "list: line 2 is longer than") || !slices.Equal(got, []string{"a"}) {
			t.Errorf("too long by %d: %d values, %v", len(tail), len(got), err)
		}
	}
}

func TestNULInLine(t *testing.T) {
	got, err := readAll(t, strings.NewReader("a\n\nb\x00c\nd\n"), "\n")
	if !slices.Equal(got, []string{"a"}) || err == nil || !strings.Contains(err.Error(), "list: line 3 holds a NUL byte") || !strings.Contains(err.Error(), "-0") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	got, err := readAll(t, io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), "\n")
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "cannot read list") {
		t.Errorf("%q, %v", got, err)
	}
	if want := []string{"a"}; !slices.Equal(got, want) { // b may be a part of a value
		t.Errorf("%q, want %q", got, want)
	}
}

// A value arrives as soon as its line is complete, not when a buffer is full.
func TestSlowInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		in := run.ReadValues(t.Context(), r, "\n")
		for i := range 3 {
			fmt.Fprintf(w, "%d\n", i)
			if v, err := in.Next(t.Context()); err != nil || v != fmt.Sprint(i) {
				t.Errorf("%q, %v, want %d", v, err, i)
			}
		}
		w.Close()
		if _, err := in.Next(t.Context()); err != io.EOF {
			t.Error(err)
		}
	})
}

// A wait for input ends with the context, and the reading goroutine with the
// next read.
func TestInputStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		in := run.ReadValues(ctx, r, "\n")
		go func() { synctest.Wait(); cancel(why) }()
		if _, err := in.Next(ctx); err != why {
			t.Errorf("error %v, want %v", err, why)
		}
		w.Close()
	})
}

type endless struct{ n int }

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	for len(b)-n > 16 {
		e.n++
		n += copy(b[n:], fmt.Sprintf("%d\n", e.n))
	}
	return n, nil
}

// A list of a million lines passes in the memory of a few chunks, and is not
// read far ahead.
func TestInputStreams(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in := run.ReadValues(ctx, &endless{}, "\n")
	var before, after runtime.MemStats
	for i := 1; i <= 1_000_000; i++ {
		v, err := in.Next(ctx)
		if err != nil || v != fmt.Sprint(i) {
			t.Fatalf("value %d: %q, %v", i, v, err)
		}
		if ahead := in.Seen() - int64(i); ahead > run.ChunkSize {
			t.Fatalf("%d values read ahead", ahead)
		}
		if i == 100_000 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 2<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

// What is left of a file that is stdin is counted, and read as well.
func TestCountStdin(t *testing.T) {
	name := t.TempDir() + "/list"
	if err := os.WriteFile(name, []byte("head\n"+strings.Repeat("a\n\n", 100_000)+"end"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	defer func() { os.Stdin = stdin }()
	for file, jobs := range map[string]int64{name: 100_001, os.DevNull: 0} {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Seek(5, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		os.Stdin = f
		in, err := run.InputOf(t.Context(), []string{"c"})
		if err != nil {
			t.Fatal(err)
		}
		n, ok := in.Count(t.Context())
		if n != jobs || ok != (file == name) {
			t.Errorf("%s: %d jobs counted, %v, want %d of the file only", file, n, ok, jobs)
		}
		if all, err := rows(in); err != io.EOF || int64(len(all)) != jobs {
			t.Errorf("%s: %d jobs, %v, want %d", file, len(all), err, jobs)
		}
	}
}

// FuzzValues compares with splitting the whole text at once, for any size of
// reads.
func FuzzValues(f *testing.F) {
	f.Add("a\nb\n\nc", 1, "\n")
	f.Add("a\x00\x00b", 2, "\x00")
	f.Add("aXXXbXX", 3, "XX")
	f.Add("abababa", 1, "aba")
	f.Fuzz(func(t *testing.T, text string, step int, sep string) {
		if sep == "" || sep != "\x00" && strings.IndexByte(text, 0) >= 0 {
			return
		}
		var want []string
		for rest := text; rest != ""; {
			var v string
			if v, rest, _ = strings.Cut(rest, sep); v != "" || sep != "\n" {
				want = append(want, v)
			}
		}
		got, err := readAll(t, &stepReader{text, max(1, step%100)}, sep)
		if err != io.EOF || !slices.Equal(got, want) {
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	})
}

type stepReader struct {
	text string
	step int
}

func (s *stepReader) Read(b []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.text[:min(s.step, len(s.text))])
	s.text = s.text[n:]
	return n, nil
}
