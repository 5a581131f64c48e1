package load

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// A process is what /proc/PID/stat says of one.
type process struct {
	pid, parent int
	seconds     float64 // CPU time, that of its children that ended included
}

// descendantSeconds returns the CPU time of the children of a process that are
// alive, of theirs, and so on.
func descendantSeconds(pid int) float64 {
	children := make(map[int][]process)
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, f := range files {
		if p, ok := parseProcess(read(f)); ok {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	sum := 0.0
	for todo := []int{pid}; len(todo) > 0; {
		next := children[todo[0]]
		todo = todo[1:]
		for _, p := range next {
			sum += p.seconds
			todo = append(todo, p.pid)
		}
	}
	return sum
}

// read returns the contents of a file, and nothing if its process has ended.
func read(file string) []byte {
	data, _ := os.ReadFile(file)
	return data
}

// parseProcess parses the contents of /proc/PID/stat. The name in parentheses may
// hold anything.
func parseProcess(stat []byte) (process, bool) {
	id, _, _ := bytes.Cut(stat, []byte(" "))
	pid, err := strconv.Atoi(string(id))
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 15 {
		return process{}, false
	}
	p := process{pid: pid}
	if p.parent, err = strconv.Atoi(string(fields[1])); err != nil {
		return process{}, false
	}
	for _, ticks := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseUint(string(ticks), 10, 64)
		if err != nil {
			return process{}, false
		}
		p.seconds += float64(n) / ticksPerSecond
	}
	return p, true
}
