//go:build !linux

package run

// forgetDead takes out the jobs of which no process is left, and returns their numbers.
func forgetDead(left map[int]process) (dead []int) {
	for pid, pr := range left {
		if !pr.groupLives() {
			delete(left, pid)
			dead = append(dead, pid)
		}
	}
	return dead
}
