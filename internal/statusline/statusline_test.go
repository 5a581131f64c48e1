package statusline_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/statusline"
)

func TestLine(t *testing.T) {
	var b strings.Builder
	columns := 40
	l := statusline.New(&b, func() (int, error) { return columns, nil })
	l.Clear()
	l.Show("one")
	l.Show("one")
	l.Show("two")
	l.Show("")
	l.Clear()
	if got, want := b.String(), "\rone\x1b[K\rtwo\x1b[K\r\x1b[K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for n, want := range map[int]int{40: 39, 0: 79, 19: 79, 20: 19} {
		if columns = n; l.Width() != want {
			t.Errorf("of %d columns %d, want %d", n, l.Width(), want)
		}
	}
}

// What is not a terminal has no line, and showing something there does nothing.
func TestOn(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	none := errors.New("not a terminal")
	size := func(int) (int, int, error) { return 80, 24, none }
	if l := statusline.On(file, "xterm", size); l != nil {
		t.Error("a file has a status line")
	}
	none = nil
	if l := statusline.On(file, "dumb", size); l != nil {
		t.Error("a terminal that cannot erase has a status line")
	}
	if l := statusline.On(&strings.Builder{}, "xterm", size); l != nil {
		t.Error("a buffer has a status line")
	}
	if l := statusline.On(file, "xterm", size); l == nil {
		t.Error("a terminal has no status line")
	}
	var l *statusline.Line
	l.Show("something")
	l.Clear()
	if l.Width() != 79 {
		t.Errorf("width %d", l.Width())
	}
}
