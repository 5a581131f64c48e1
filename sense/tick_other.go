//go:build !linux

package sense

func ownTick() float64 { return 0 }
