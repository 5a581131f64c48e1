package queue

import "golang.org/x/sys/unix"

// boot is that of Linux.
func boot() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}
