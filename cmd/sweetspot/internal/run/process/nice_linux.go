package process

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Renice gives this process and all that it starts a niceness. On Linux each
// thread has its own, and hands it on to the threads and processes that it
// starts, so all are gone through until a pass finds nothing to do: then there
// is none left that could start one with another.
func Renice(n int) error {
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		done := true
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil {
				continue
			}
			// The system call returns 20 less the niceness, so that it is never negative.
			if is, err := unix.Getpriority(unix.PRIO_PROCESS, id); err != nil || 20-is == n {
				continue // the thread has ended, or is done
			}
			done = false
			if err := unix.Setpriority(unix.PRIO_PROCESS, id, n); err != nil && err != unix.ESRCH {
				return err
			}
		}
		if done {
			return nil
		}
	}
}
