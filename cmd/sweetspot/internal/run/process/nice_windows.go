package process

import "errors"

// Renice is not possible here.
func Renice(int) error { return errors.New("Windows has no niceness") }
