package statusline

import (
	"io"
	"os"
)

// A Line is the status line of a terminal. That of anything else is nil, and shows
// nothing: a status does not go into a file or a pipe.
type Line struct {
	w     io.Writer
	size  func() (columns int, err error)
	shown string
}

// On returns the status line of w, nil if w is not a terminal or its TERM cannot erase
// a line. size is that of golang.org/x/term: GetSize.
func On(w io.Writer, term string, size func(fd int) (columns, rows int, err error)) *Line {
	f, ok := w.(*os.File)
	if !ok || term == "dumb" {
		return nil
	}
	l := New(w, func() (int, error) {
		columns, _, err := size(int(f.Fd()))
		return columns, err
	})
	if _, err := l.size(); err != nil {
		return nil
	}
	return l
}

// New returns a line of w, which is a terminal with as many columns as size says.
func New(w io.Writer, size func() (columns int, err error)) *Line { return &Line{w: w, size: size} }

// Width returns how many columns a text may have. The last column stays free, since
// some terminals wrap when it is written.
func (l *Line) Width() int {
	const least, usual = 20, 80
	columns := usual
	if l != nil {
		if n, err := l.size(); err == nil && n >= least {
			columns = n
		}
	}
	return columns - 1
}

// Show replaces what the line shows.
func (l *Line) Show(text string) {
	if l == nil || text == l.shown {
		return
	}
	if text == "" {
		l.Clear()
		return
	}
	_, _ = io.WriteString(l.w, "\r"+text+"\x1b[K") // there is nowhere else to complain
	l.shown = text
}

// Clear empties the line. Do so before anything else is written to the terminal.
func (l *Line) Clear() {
	if l == nil || l.shown == "" {
		return
	}
	_, _ = io.WriteString(l.w, "\r\x1b[K")
	l.shown = ""
}
