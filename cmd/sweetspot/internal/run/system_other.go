//go:build !linux

package run

// hidden is what this system does not show, in words; "" if nothing.
const hidden = "free memory, the number of processes, and the CPU time that others use"
