package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A group is a cgroup with a limit of memory. A nil group is that of this process.
type group struct {
	dir    string
	events string // the file that counts kills
}

// groupsOf are where the kernel has cgroups with memory: of version 2, and of version 1.
const (
	groupsV2 = "/sys/fs/cgroup"
	groupsV1 = "/sys/fs/cgroup/memory"
)

// newGroup makes a cgroup with so many bytes, which takes root; none if that is 0.
func newGroup(memory int64) (*group, error) {
	if memory == 0 {
		return nil, nil
	}
	parent, limit, events := groupsV1, "memory.limit_in_bytes", "memory.oom_control"
	if b, err := os.ReadFile(filepath.Join(groupsV2, "cgroup.controllers")); err == nil && bytes.Contains(b, []byte("memory")) {
		parent, limit, events = groupsV2, "memory.max", "memory.events"
		if err := os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+memory"), 0); err != nil {
			return nil, err
		}
	}
	dir, err := os.MkdirTemp(parent, "finite")
	if err != nil {
		return nil, err
	}
	g := &group{dir, filepath.Join(dir, events)}
	err = os.WriteFile(filepath.Join(dir, limit), []byte(strconv.FormatInt(memory, 10)), 0)
	if err == nil {
		_, err = g.kills()
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// allocate returns memory that is not there before it is touched. Its pages are large where
// the kernel has such: a job would take most of its time to touch small ones.
func allocate(n int) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		_ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) // else they are small
	}
	return b, err
}

// wrap returns the command that runs another one in the group.
func (g *group) wrap(argv []string) []string {
	if g == nil {
		return argv
	}
	return append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, filepath.Join(g.dir, "cgroup.procs")}, argv...)
}

// kills returns how many processes the kernel has killed in the group for want of memory.
func (g *group) kills() (int, error) {
	if g == nil {
		return 0, nil
	}
	f, err := os.Open(g.events)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "oom_kill "); ok {
			return strconv.Atoi(n)
		}
	}
	return 0, fmt.Errorf("%s does not count kills", g.events)
}

// close removes the group, once its last process is gone.
func (g *group) close() error {
	if g == nil {
		return nil
	}
	err := os.Remove(g.dir)
	for i := 0; err != nil && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
		err = os.Remove(g.dir)
	}
	return err
}
