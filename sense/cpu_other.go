//go:build !unix && !windows

package sense

// ownCPU is not known here.
func ownCPU() float64 { return 0 }
