//go:build !darwin && !linux && !windows

package queue

// boot is that of Linux. Nothing is known.
func boot() string { return "" }
