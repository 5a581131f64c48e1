//go:build !linux

package scan

import "errors"

var errLinux = errors.New("not permitted: fanotify is there on Linux alone")

func (e *engine) serveFanotify(<-chan struct{}) error { return errLinux }

func watch(order, <-chan struct{}) error { return errLinux }
