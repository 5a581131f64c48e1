//go:build !linux

package run

// forgetDead takes out the jobs of which no process is left.
func forgetDead(left map[int]process) {
	for pid, pr := range left {
		if !pr.groupLives() {
			delete(left, pid)
		}
	}
}
