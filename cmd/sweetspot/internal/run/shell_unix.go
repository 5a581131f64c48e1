//go:build unix

package run

// shellPath is the shell that POSIX gives to every Unix.
const shellPath = "/bin/sh"

// defaultShell runs the lines of -c, unless another shell is wanted.
const defaultShell = shellPath
