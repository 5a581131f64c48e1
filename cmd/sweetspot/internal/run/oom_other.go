//go:build !linux

package run

// oomKills is not known here.
func oomKills() int64 { return -1 }
