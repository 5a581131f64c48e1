package jobserver

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// A watch counts the writes into the pipe. Without inotify its fd is -1, and it counts none.
type watch struct{ fd int }

func newWatch(path string) (watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err == nil {
		// Reads are only there to keep writes apart: equal events in a row are one.
		if _, err = unix.InotifyAddWatch(fd, path, unix.IN_MODIFY|unix.IN_ACCESS); err != nil {
			unix.Close(fd)
		}
	}
	if err != nil {
		return watch{-1}, fmt.Errorf("cannot watch the tokens by inotify: %w; -j N needs no watch", err)
	}
	return watch{fd}, nil
}

// writes returns how many writes there were since the last call. The kernel keeps them meanwhile: some 16,000.
func (w watch) writes() (n int) {
	var buf [256 * unix.SizeofInotifyEvent]byte
	for {
		m, err := unix.Read(w.fd, buf[:])
		if err == unix.EINTR {
			continue
		}
		if m <= 0 { // there are none left
			return n
		}
		for b := buf[:m]; len(b) >= unix.SizeofInotifyEvent; b = b[unix.SizeofInotifyEvent:] { // without names
			if binary.NativeEndian.Uint32(b[4:])&unix.IN_MODIFY != 0 {
				n++
			}
		}
	}
}

func (w watch) close() { unix.Close(w.fd) }
