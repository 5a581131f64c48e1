//go:build !unix

package scan

import "time"

// cpuTime returns the CPU time of this process, or 0 where it is not known.
func cpuTime() time.Duration { return 0 }
