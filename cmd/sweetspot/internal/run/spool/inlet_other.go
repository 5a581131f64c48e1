//go:build !linux

package spool

import "os"

// Elsewhere than on Linux, jobs have a file as their stderr.
type (
	Inlets struct{}
	inlet  struct{ w *os.File }
)

func NewInlets() *Inlets              { return nil }
func (*Inlets) inlet(*os.File) *inlet { return nil }
func (*Inlets) Close()                {}
func (*inlet) end() error             { return nil }
