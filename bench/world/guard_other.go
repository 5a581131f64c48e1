//go:build !linux

package main

import (
	"os/exec"
	"syscall"
)

// guard does nothing: on this system servers run as we do, and outlive us if we
// are killed.
func guard(*exec.Cmd, *account, syscall.Signal) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
