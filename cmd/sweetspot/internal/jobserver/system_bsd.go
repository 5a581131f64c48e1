//go:build unix && !linux

package jobserver

import (
	"errors"
	"syscall"
)

// ioctlLevel asks for the bytes in a pipe: FIONREAD, the same number on macOS and the BSDs.
const ioctlLevel = 0x4004667f

var childAttr = &syscall.SysProcAttr{}

// Orphans go to init here.
func adopt()         {}
func adopted() []int { return nil }

// A watch is not possible here.
type watch struct{ writes chan int }

func newWatch(string) (*watch, error) {
	return nil, errors.New("this system does not tell when tokens come back, so the number cannot be found: give it by -j N")
}

func (w *watch) close() {}

func (p *pool) unused() int { return 0 }
