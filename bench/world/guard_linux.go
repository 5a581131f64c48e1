package main

import (
	"os/exec"
	"syscall"
)

// guard makes cmd the leader of a process group, which runs as a user and gets a
// signal when the thread that starts it ends.
func guard(cmd *exec.Cmd, as *account, stop syscall.Signal) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: stop}
	if as != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
}

// killGroup kills what is left of the group of cmd.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
