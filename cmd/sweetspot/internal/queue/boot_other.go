//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package queue

// boot is that of Linux. Nothing is known.
func boot() string { return "" }
