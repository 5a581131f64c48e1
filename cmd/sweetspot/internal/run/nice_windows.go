package run

import "errors"

// renice is not possible here.
func renice(int) error { return errors.New("Windows has no niceness") }
