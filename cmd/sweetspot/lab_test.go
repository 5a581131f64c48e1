//go:build unix

package main_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/internal/rerun"
)

// An interrupt ends the lab and the process that measures, and leaves files as
// they were.
func TestLabInterrupt(t *testing.T) {
	rerun.Skip(t)
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		dir := t.TempDir()
		old, fresh := filepath.Join(dir, "old.html"), filepath.Join(dir, "new.json")
		if err := os.WriteFile(old, []byte("as it was"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, nil, "lab", "run", "D2", "--size", "article", "--html", old, "--json", fresh)
		var measuring []int
		for deadline := time.Now().Add(patience); len(measuring) == 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("no process measures")
			}
			measuring = childrenOf(t, s.cmd.Process.Pid)
		}
		s.signal(sig)
		s.ends(code)
		s.gone(measuring)
		if !strings.Contains(s.stderr.String(), "sweetspot: lab run: stopped in round 1 of 6, nothing is written: "+sig.String()) {
			t.Errorf("stderr is %s", s.stderr.String())
		}
		if text, err := os.ReadFile(old); string(text) != "as it was" {
			t.Errorf("the old file holds %q, %v", text, err)
		}
		if _, err := os.Stat(fresh); !os.IsNotExist(err) {
			t.Errorf("the new file: %v", err)
		}
	}
}

// childrenOf returns the processes that a process has started.
func childrenOf(t *testing.T, parent int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	if len(stats) == 0 {
		t.Skip("there is no /proc to find processes in")
	}
	var pids []int
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// After the name, which ends in the last parenthesis: the state and the parent.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}
