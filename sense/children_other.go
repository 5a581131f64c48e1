//go:build !linux

package sense

import "time"

// A watcher cannot see running children here: their CPU time counts once they
// are reaped.
type watcher struct{}

func newWatcher(*host) watcher { return watcher{} }

func (*watcher) look(time.Duration, *family) {}

// ready is not known here.
func (*host) ready(int) float64 { return 0 }

type admission struct{}

// Admits reports whether one more child can start now without memory running out. This
// system does not say how much memory is free, so every child is admitted.
func (c *Children) Admits(int) (ok bool, why string) { return true, "" }

// Look returns what this process and all its descendants use. This system does not say, so ok is
// false.
func (c *Children) Look() (u Usage, ok bool) { return Usage{}, false }

type credit struct{}

// SuspendEvery is how often [Children.Suspend] is to be called.
const SuspendEvery = 10 * time.Millisecond

// Lend has no effect here: this system does not say how much memory is free, so every child is
// admitted.
func (c *Children) Lend(wake func()) {}

// Suspend returns nothing, because no child starts on credit here.
func (c *Children) Suspend() (suspended, resumed []int, again bool) { return nil, nil, false }
