package sense

import (
	"syscall"
	"unsafe"
)

// A file is a file of /proc, /sys or a cgroup that is kept open: reading it
// again at offset 0 costs a third of opening it anew, and leaves no garbage.
// The zero value and a file that could not be opened read as nothing.
type file struct {
	fd int // descriptor plus one, so that the zero value holds none
}

// open opens path for reading. A file that is missing or forbidden is not an
// error: its sensor goes without.
func open(path string) file {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return file{}
		}
		return file{fd + 1}
	}
}

func (f file) ok() bool { return f.fd > 0 }

// read returns what the file says now, at most len(buf) bytes, or nil.
func (f file) read(buf []byte) []byte { return f.readAt(buf, 0) }

// readAt returns at most len(buf) bytes from offset on, or nil.
func (f file) readAt(buf []byte, offset int64) []byte {
	if f.fd <= 0 {
		return nil
	}
	for {
		n, err := syscall.Pread(f.fd-1, buf, offset)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return nil
		}
		return buf[:n]
	}
}

func (f *file) close() {
	if f.fd > 0 {
		syscall.Close(f.fd - 1)
		f.fd = 0
	}
}

// openat opens the zero-terminated path for reading. Unlike syscall.Open it
// does not copy the path, so it does not allocate.
func openat(path []byte, flags uintptr) (fd int, errno syscall.Errno) {
	const here = -100 // AT_FDCWD: relative paths start at the working directory
	at := here
	for {
		r, _, errno := syscall.Syscall6(syscall.SYS_OPENAT, uintptr(at), uintptr(unsafe.Pointer(&path[0])),
			syscall.O_RDONLY|syscall.O_CLOEXEC|flags, 0, 0, 0)
		if errno != syscall.EINTR {
			return int(r), errno
		}
	}
}
