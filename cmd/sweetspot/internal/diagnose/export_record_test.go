package diagnose

import "time"

// Briefly returns o with CPU profiles of so little time, and traces of so many bytes at
// most, if that is not 0.
func (o Options) Briefly(profiled time.Duration, traceMost int64) Options {
	o.profiled, o.traceMost = profiled, traceMost
	return o
}

// Wrap returns a file of package main as it is recorded.
func Wrap(text string) (wrapped string, main bool, err error) {
	b, main, err := wrap("main.go", []byte(text))
	return string(b), main, err
}
