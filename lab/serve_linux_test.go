package lab_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestServersEndWithAKilledSample kills a sample while its servers work.
func TestServersEndWithAKilledSample(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	order := fmt.Sprintf(`{"experiment":"C6","point":"processes, balancer/0","size":100000000,"cpus":%d}`, runtime.GOMAXPROCS(0))
	sample := exec.Command(self, "lab", "measure", order)
	sample.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0)))
	if err := sample.Start(); err != nil {
		t.Fatal(err)
	}
	defer sample.Wait()
	var servers []string
	for len(servers) < runtime.GOMAXPROCS(0)+1 {
		if servers = childrenOf(sample.Process.Pid); gone(fmt.Sprint(sample.Process.Pid)) {
			t.Fatal("the sample has ended")
		}
		time.Sleep(time.Millisecond)
	}
	sample.Process.Kill()
	for _, pid := range servers {
		for !gone(pid) { // else the test hangs, which says it
			time.Sleep(time.Millisecond)
		}
	}
}

// childrenOf returns the processes that any thread of a process has started.
func childrenOf(pid int) []string {
	var all []string
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, thread := range threads {
		list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		all = append(all, strings.Fields(string(list))...)
	}
	return all
}

// gone reports whether a process has ended, be it that nobody has asked how.
func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return bytes.HasPrefix(rest, []byte("Z"))
}
