package run

import (
	"bytes"
	"os"
	"strconv"
)

// forgetDead takes out the jobs of which no process is left, and returns their numbers.
// Zombies are dead: in a container, where nobody may reap orphans, they stay for ever,
// and a signal 0 to their group succeeds.
func forgetDead(left map[int]process) (dead []int) {
	for pid, pr := range left {
		if !pr.groupLives() {
			delete(left, pid)
			dead = append(dead, pid)
		}
	}
	if len(left) == 0 {
		return dead
	}
	groups, err := livingGroups()
	if err != nil {
		return dead // no /proc: then the signal has the last word
	}
	for pid := range left {
		if !groups[pid] {
			delete(left, pid)
			dead = append(dead, pid)
		}
	}
	return dead
}

// livingGroups returns the process groups that have a member which is not a
// zombie.
func livingGroups() (map[int]bool, error) {
	proc, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	groups := make(map[int]bool)
	for _, e := range proc {
		if c := e.Name()[0]; c < '0' || c > '9' {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has just ended
		}
		// After the name, which is in parentheses and may hold any: state, parent, group.
		f := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(f) < 3 || f[0][0] == 'Z' || f[0][0] == 'X' {
			continue
		}
		if group, err := strconv.Atoi(string(f[2])); err == nil {
			groups[group] = true
		}
	}
	return groups, nil
}
