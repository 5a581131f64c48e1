package run_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestCutter(t *testing.T) {
	for _, c := range []struct {
		text        string
		size, count int
		end, start  string
		want        []string
	}{
		{"", 4, 0, "\n", "", nil},
		{"a\nb\nc\n", 4, 0, "\n", "", []string{"a\nb\n", "c\n"}},
		{"a\nb\nc\n", 5, 0, "\n", "", []string{"a\nb\n", "c\n"}},
		{"a\nb\nc", 100, 0, "\n", "", []string{"a\nb\nc"}},
		{"abcdef\nb\nc", 3, 0, "\n", "", []string{"abcdef\n", "b\nc"}},
		{"\n\n\n", 1, 0, "\n", "", []string{"\n", "\n", "\n"}},
		{"a\nb\nc\nd", 1, 2, "\n", "", []string{"a\nb\n", "c\nd"}},
		{"a\nb\nc\nd\n", 1, 4, "\n", "", []string{"a\nb\nc\nd\n"}},
		{"a\nb\nc\n", 1, 1, "\n", "", []string{"a\n", "b\n", "c\n"}},
		{">1\nA\n>2\nB\n>3", 6, 0, "", ">", []string{">1\nA\n", ">2\nB\n", ">3"}},
		{">1\nA\n>2\nB\n>3", 1, 2, "", ">", []string{">1\nA\n>2\nB\n", ">3"}},
		{"a>b\n>c\n>d", 3, 0, "\n", ">", []string{"a>b\n", ">c\n", ">d"}},
		{"aXXXb", 1, 1, "XX", "", []string{"aXX", "Xb"}},
		{"XXXXX", 1, 1, "XX", "", []string{"XX", "XX", "X"}},
		{">>>", 1, 1, "", ">", []string{">", ">", ">"}},
		{"abcdefg", 3, 0, "", "", []string{"abc", "def", "g"}},
		{"abcdefg", 9, 2, "", "", []string{"ab", "cd", "ef", "g"}},
		{"a\x00b\x00", 2, 0, "\x00", "", []string{"a\x00", "b\x00"}},
		{"a--b--c", 3, 0, "--", "", []string{"a--", "b--", "c"}},
		{"abcde--b--c", 2, 0, "--", "", []string{"abcde--", "b--", "c"}},
	} {
		for name, r := range map[string]io.Reader{
			"whole":         strings.NewReader(c.text),
			"byte by byte":  iotest.OneByteReader(strings.NewReader(c.text)),
			"end with data": iotest.DataErrReader(strings.NewReader(c.text)),
		} {
			got, err := run.Cut(r, c.size, c.count, c.end, c.start)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s, %q by %d bytes, %d records, %q, %q: %q, %v, want %q", name, c.text, c.size, c.count, c.end, c.start, got, err, c.want)
			}
		}
	}
}

func TestCutterSaysWhatIsWrong(t *testing.T) {
	broken := errors.New("broken")
	got, err := run.Cut(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 2, 0, "\n", "")
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "cannot read list") || !slices.Equal(got, []string{"a\n"}) {
		t.Errorf("%q, %v", got, err)
	}
	_, err = run.Cut(zeros{}, 2<<20, 0, "\n", "")
	if err == nil || !strings.Contains(err.Error(), "--recend") {
		t.Errorf("a record without an end: %v", err)
	}
}

// A stream takes as much memory as a few blocks, however long it is and in whatever pieces
// it comes.
func TestCutterMemory(t *testing.T) {
	const size, length = 1 << 20, 64 << 20
	for _, piece := range []int{512, 4096, 60_000, 1 << 20} {
		memory, total, err := run.CutterMemory(&lines{left: length, piece: piece}, size)
		if err != nil || total != length {
			t.Fatalf("pieces of %d bytes: %d of %d bytes in blocks, %v", piece, total, length, err)
		}
		if memory > 4*size {
			t.Errorf("pieces of %d bytes: %d MiB of memory for blocks of 1 MiB", piece, memory>>20)
		}
	}
}

// lines is a stream of lines of 100 bytes that comes in pieces.
type lines struct{ left, piece int }

func (l *lines) Read(b []byte) (int, error) {
	n := min(len(b), l.piece, l.left)
	if n == 0 {
		return 0, io.EOF
	}
	for i := range b[:n] {
		b[i] = 'x'
		if (l.left-i)%100 == 1 {
			b[i] = '\n'
		}
	}
	l.left -= n
	return n, nil
}

// zeros is an endless stream without a newline.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// FuzzCutter: nothing is lost or added, blocks end where records do, and none but
// a single record is longer than a block.
func FuzzCutter(f *testing.F) {
	f.Add([]byte("a\nb\nc"), 3, 0, "\n", "")
	f.Add([]byte(">a>b>>"), 2, 2, "", ">")
	f.Add([]byte("XXXX"), 1, 0, "X", "XX")
	f.Add([]byte("abc"), 1, 1, "", "")
	f.Fuzz(func(t *testing.T, text []byte, size, count int, end, start string) {
		size, count = 1+abs(size)%100, abs(count)%5
		blocks, err := run.Cut(bytes.NewReader(text), size, count, end, start)
		slow, _ := run.Cut(iotest.OneByteReader(bytes.NewReader(text)), size, count, end, start)
		if err != nil || strings.Join(blocks, "") != string(text) || !slices.Equal(blocks, slow) {
			t.Fatalf("%q, %q byte by byte, %v", blocks, slow, err)
		}
		rest := string(text)
		for i, b := range blocks {
			rest = rest[len(b):]
			if b == "" || rest != "" && !(strings.HasSuffix(b, end) && strings.HasPrefix(rest, start)) {
				t.Fatalf("block %d ends within a record: %q", i, blocks)
			}
			if count == 0 && len(b) > size && end != "" && start == "" && strings.Contains(b[:len(b)-1], end) {
				t.Fatalf("block %d is longer than %d and more than a record: %q", i, size, b)
			}
			if count > 0 && len(end) == 1 && start == "" && strings.Count(b, end) > count {
				t.Fatalf("block %d has more than %d records: %q", i, count, b)
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }
