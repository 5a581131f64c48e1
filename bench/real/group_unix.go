//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ownGroup makes cmd the leader of a process group. Its children stay in it,
// but for the jobs of sweetspot run, which ends them when it is told to.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// interrupt does what Ctrl-C does.
func interrupt(p *os.Process) { _ = p.Signal(os.Interrupt) }

// endGroup asks all processes of cmd's group to end.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// clearGroup returns when nothing is left of cmd's group, after killing what
// has not ended within a few seconds. What should have ended is gone at once.
func clearGroup(cmd *exec.Cmd) {
	pid := -cmd.Process.Pid
	for range 400 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		_ = syscall.Kill(pid, syscall.SIGTERM)
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
