//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// Without process groups, the pipes that end with their writer do it: see
// orphaned.

func ownGroup(*exec.Cmd)           {}
func interrupt(p *os.Process)      { _ = p.Kill() }
func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
func clearGroup(*exec.Cmd)         {}
