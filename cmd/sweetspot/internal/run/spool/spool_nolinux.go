//go:build !linux

package spool

import (
	"errors"
	"os"
)

// stamp does nothing: every file counts as written to.
func stamp(*os.File) {}

// look returns the size of a file.
func look(f *os.File) (size int64, written bool, err error) {
	st, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	return st.Size(), true, nil
}

// tryRoom tries whether a file of some size can grow, if we have it alone.
func tryRoom(f *os.File, size int64, alone bool) error {
	if !alone {
		return nil
	}
	return appendOne(f, size)
}

// reopen returns nil: nobody could say later whether the job's file is still open.
func reopen(*os.File) *os.File { return nil }

// Unshared reports false: only Linux says so.
func Unshared(*os.File) bool { return false }

func renew(*os.File, int64) bool { return false }

func diskDir() string { return os.TempDir() }

// Discard: here, what a job writes stays on disk until its end.
func Discard(*os.File, int64, int64) {}

// Link: a file without a name stays so.
func Link(*os.File, string) error { return errors.ErrUnsupported }

// InMemory: only Linux says so.
func InMemory(*os.File) bool { return false }

// Elsewhere than on Linux, jobs have a file as their stderr.
type (
	Inlets struct{}
	inlet  struct{ w *os.File }
)

func NewInlets() *Inlets              { return nil }
func (*Inlets) inlet(*os.File) *inlet { return nil }
func (*Inlets) Close()                {}
func (*inlet) end() error             { return nil }
