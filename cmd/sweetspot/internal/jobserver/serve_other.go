//go:build !linux

package jobserver

import "errors"

func (o *options) run([]string) error { return errors.New("jobserver is for Linux") }
