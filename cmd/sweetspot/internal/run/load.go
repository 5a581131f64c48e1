package run

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// wantingProcesses returns how many processes of the machine run or would if
// they had a CPU or the disk, without us. It is what GNU parallel counts for
// --load: the load average, which forgets over minutes, first lets too many
// start and then none.
func wantingProcesses() (int, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // only Linux has it
		return 0, unreadable("/proc/stat", err)
	}
	running, ok := statLine(stat, "\nprocs_running ")
	blocked, ok2 := statLine(stat, "\nprocs_blocked ")
	if !ok || !ok2 {
		return 0, errors.New("this system does not tell how many processes run")
	}
	return max(running-1, 0) + blocked, nil // the one that runs is we who ask
}

// statLine returns the number behind key in a file of /proc. A key begins a line other than the first.
func statLine(stat []byte, key string) (int, bool) {
	_, rest, found := bytes.Cut(stat, []byte(key))
	if !found {
		return 0, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(line))
	return n, err == nil
}
