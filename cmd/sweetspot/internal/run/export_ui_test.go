package run

import (
	"io"
	"time"
)

// UI reads an --ui and returns the address to listen at.
func UI(text string) (string, error) {
	var u uiFlag
	err := u.Set(text)
	return u.String(), err
}

// OpenUI serves a live page until the function is called, which waits for streams however busy the machine is.
func OpenUI(text string, stderr io.Writer) (closePage func(), err error) {
	var u uiFlag
	if err := u.Set(text); err != nil {
		return nil, err
	}
	farewell = time.Minute
	p, err := u.open(&console{stdout: io.Discard, stderr: stderr})
	return p.close, err
}
