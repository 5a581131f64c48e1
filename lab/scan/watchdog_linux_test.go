package scan_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/scan"
)

// children returns the child processes of pid.
func children(t *testing.T, pid int) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for field := range strings.FieldsSeq(string(text)) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, n)
		}
	}
	return pids
}

// processes returns the watchdog and the scanner of the one scanner that runs.
func processes(t *testing.T) (watchdog, scanner int) {
	t.Helper()
	for _, pid := range children(t, os.Getpid()) {
		if below := children(t, pid); len(below) == 1 {
			return pid, below[0]
		}
	}
	t.Skip("the processes cannot be found in /proc")
	return 0, 0
}

// Whatever happens to the scanner, files can be opened afterwards, and those that
// wait for it are allowed.
func TestFanotifyNeverBlocks(t *testing.T) {
	for name, harm := range map[string]func(watchdog, scanner int) error{
		"the scanner is killed":  func(_, scanner int) error { return syscall.Kill(scanner, syscall.SIGKILL) },
		"the scanner is stopped": func(_, scanner int) error { return syscall.Kill(scanner, syscall.SIGSTOP) },
		"the watchdog is killed": func(watchdog, _ int) error { return syscall.Kill(watchdog, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, paths := makeFiles(t, 4)
			s := start(t, scan.Config{Kind: scan.Fanotify, Roots: []string{dir}, Delay: time.Hour, Timeout: time.Hour})
			watchdog, scanner := processes(t)
			opened := make(chan struct{})
			go func() {
				defer close(opened)
				openAll(t, s, paths, 4)
			}()
			time.Sleep(50 * time.Millisecond) // so that they wait; the test holds without
			if err := harm(watchdog, scanner); err != nil {
				t.Fatal(err)
			}
			<-opened
			if _, err := s.Close(); err == nil || !strings.Contains(err.Error(), "before its time") {
				t.Errorf("error %v, want one that says the scanner ended before its time", err)
			}
		})
	}
}

// When the program that started it has ended, the scanner ends too.
func TestFanotifyEndsWithItsProgram(t *testing.T) {
	dir, paths := makeFiles(t, 1)
	start(t, scan.Config{Kind: scan.Fanotify, Roots: []string{dir}}).Close() // or skip
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SCAN_TEST_ROOT="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1)) // it has started its scanner
	watchdogs := children(t, cmd.Process.Pid)
	var all []int
	for _, pid := range watchdogs {
		all = append(append(all, pid), children(t, pid)...)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if len(all) != 2 {
		t.Fatalf("processes %v: want a watchdog and a scanner", all)
	}
	for _, pid := range all {
		for !ended(pid) {
			time.Sleep(10 * time.Millisecond)
		}
	}
	if _, err := os.ReadFile(paths[0]); err != nil {
		t.Error(err)
	}
}

// ended reports whether the process has, be it that nobody has asked for its exit
// code yet.
func ended(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}
