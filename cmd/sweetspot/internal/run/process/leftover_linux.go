package process

import (
	"bytes"
	"os"
	"strconv"
)

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
