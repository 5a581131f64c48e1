package sense

import (
	"syscall"
	"time"
)

// A filesGauge counts the open files of this process under RLIMIT_NOFILE.
type filesGauge struct {
	dir  file   // /proc/self/fd
	list []byte // scratch

	tally
	counted time.Duration // when used was last counted one by one
}

const (
	// spareFiles is the part of the limit left to the rest of the program.
	spareFiles = 1.0 / 16
	// filesPerUnit is what a unit opens at most, an assumption that lets growth
	// begin: a job has three pipes and a handle, a request two sockets.
	filesPerUnit = 8
	// recountFiles is how often files are counted one by one, where the kernel
	// does not know their number (before Linux 6.2): a microsecond for every few.
	recountFiles = time.Second
)

func newFilesGauge(dir file, list []byte) *filesGauge {
	return &filesGauge{dir: dir, list: list, tally: tally{perUnit: filesPerUnit, what: "open files: near the limit (RLIMIT_NOFILE)"}}
}

func (g *filesGauge) read(now time.Duration) bool {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	g.known = err == nil && g.count(now)
	g.room = float64(limit.Cur)*(1-spareFiles) - g.used
	return true
}

// count brings used up to date and reports whether it is known.
func (g *filesGauge) count(now time.Duration) bool {
	if !g.dir.ok() {
		return false
	}
	// Since Linux 6.2 the size of the directory is the number of its entries.
	var st syscall.Stat_t
	if syscall.Fstat(g.dir.fd-1, &st) == nil && st.Size > 0 {
		g.used = float64(st.Size)
		return true
	}
	if g.known && now-g.counted < recountFiles {
		return true
	}
	g.counted = now
	fd, errno := openat(selfFD[:], syscall.O_DIRECTORY)
	if errno != 0 {
		return false
	}
	defer syscall.Close(fd)
	g.used = 0
	for {
		n, err := syscall.ReadDirent(fd, g.list)
		if err != nil || n <= 0 {
			return err == nil
		}
		for range names(g.list[:n]) {
			g.used++
		}
	}
}

var selfFD = [...]byte{'/', 'p', 'r', 'o', 'c', '/', 's', 'e', 'l', 'f', '/', 'f', 'd', 0}
