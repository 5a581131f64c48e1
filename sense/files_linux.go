package sense

import (
	"syscall"
	"time"
)

// files are the open files of this process under RLIMIT_NOFILE.
type files struct {
	dir   file // /proc/self/fd
	bound bound
	list  []byte // scratch

	used    int
	counted time.Duration // when used was last counted one by one
	begun   bool
}

const (
	// spareFiles is the part of the limit left to the rest of the program.
	spareFiles = 1.0 / 16
	// filesPerUnit is what a unit opens at most, for the purpose of letting
	// growth begin: a job has three pipes and a handle, a request two sockets.
	filesPerUnit = 8
	// recountFiles is how often files are counted one by one, where the kernel
	// does not know their number (before Linux 6.2).
	recountFiles = time.Second
)

func newFiles(h *host, buf []byte) files { return files{dir: h.files, list: buf} }

func (*files) why() string { return "open files: near the limit (RLIMIT_NOFILE)" }

func (f *files) look(now time.Duration, peak, inFlight int) int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		f.bound.free()
		return 0
	}
	most := float64(limit.Cur)
	if !f.count(now, peak, most) {
		f.bound.free()
		return 0
	}
	used := float64(f.used)
	f.bound.pace(peak, used, most*(1-spareFiles)-used, filesPerUnit)
	return f.bound.units
}

// count brings used up to date and reports whether it is known.
func (f *files) count(now time.Duration, peak int, limit float64) bool {
	if !f.dir.ok() {
		return false
	}
	// Since Linux 6.2 the size of the directory is the number of its entries.
	var st syscall.Stat_t
	if syscall.Fstat(f.dir.fd-1, &st) == nil && st.Size > 0 {
		f.used = int(st.Size)
		return true
	}
	if f.begun && (now-f.counted < recountFiles || f.far(peak, limit)) {
		return true
	}
	f.begun, f.counted = true, now
	fd, errno := openat(selfFD[:], syscall.O_DIRECTORY)
	if errno != 0 {
		return false
	}
	defer syscall.Close(fd)
	f.used = 0
	for {
		n, err := syscall.ReadDirent(fd, f.list)
		if err != nil || n <= 0 {
			return err == nil
		}
		for range names(f.list[:n]) {
			f.used++
		}
	}
}

// far says that the limit is out of reach by any account: not worth the count,
// which costs a microsecond for every few files.
func (f *files) far(peak int, limit float64) bool {
	return float64(f.used)+float64(reach*filesPerUnit)*float64(peak) < limit/2
}

var selfFD = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'f', 'd', 0}
