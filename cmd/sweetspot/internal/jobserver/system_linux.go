package jobserver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ioctlLevel asks for the bytes in a pipe.
const ioctlLevel = unix.TIOCINQ

// childAttr has the kernel end the command when we are killed, in the way that lets make
// remove half-made files.
var childAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}

// adopt makes orphans below us our children, not those of init: they still count.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // every Linux since 3.4

// adopted returns our children.
func adopted() (pids []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is right
	for _, name := range lists {
		b, _ := os.ReadFile(name) // a thread that has ended has none
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// full are the programs that use the place that needs no token before others, or pass the pipe on
// and use none: make, cargo, rustc and shells. ninja may leave that place empty while its jobs with tokens run on.
var full = []string{"make", "gmake", "cargo", "rustc", "sh", "bash", "dash"}

// unused returns how many processes have the pipe open and are of another kind.
func (p *pool) unused() (n int) {
	pipe := fmt.Sprintf("/proc/self/fd/%d", p.fd)
	mine, err := os.Stat(pipe)
	if err != nil {
		return 0
	}
	self := strconv.Itoa(os.Getpid())
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range processes {
		name, _ := os.ReadFile(dir + "/comm") // of a process that has ended: none
		if filepath.Base(dir) == self || slices.Contains(full, strings.TrimSpace(string(name))) {
			continue
		}
		files, _ := filepath.Glob(dir + "/fd/*")
		if slices.ContainsFunc(files, func(name string) bool {
			st, err := os.Stat(name)
			return err == nil && os.SameFile(mine, st)
		}) {
			n++
		}
	}
	return n
}
