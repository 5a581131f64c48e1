//go:build unix

package run

// defaultShell runs the lines of -c, unless another shell is wanted. POSIX gives it to every Unix.
const defaultShell = "/bin/sh"
