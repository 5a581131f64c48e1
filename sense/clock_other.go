//go:build !linux

package sense

import "time"

var began = time.Now()

// monotonic returns the time since the program began.
func monotonic() time.Duration { return time.Since(began) }

func ownTick() float64 { return 0 }
