package jobserver

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A watch tells how often was written into the pipe.
type watch struct {
	file   *os.File
	writes chan int
	quit   chan struct{}
	ended  chan struct{}
}

// watchEvery is the pause between two looks: so a thousand short jobs a second wake us 500
// times at most, and the kernel keeps the events meanwhile.
const watchEvery = 2 * time.Millisecond

// newWatch begins to watch a pipe.
func newWatch(path string) (*watch, error) {
	w := &watch{writes: make(chan int), quit: make(chan struct{}), ended: make(chan struct{})}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err == nil {
		w.file = os.NewFile(uintptr(fd), "inotify")
		// Reads are only there to keep writes apart: equal events in a row are one.
		_, err = unix.InotifyAddWatch(fd, path, unix.IN_MODIFY|unix.IN_ACCESS)
	}
	if err != nil {
		w.file.Close()
		return nil, fmt.Errorf("cannot watch the tokens by inotify: %w; -j N needs no watch", err)
	}
	go w.loop()
	return w, nil
}

func (w *watch) loop() {
	defer close(w.ended)
	buf := make([]byte, 256*unix.SizeofInotifyEvent)
	for {
		n, err := w.file.Read(buf)
		if err != nil { // it was closed
			return
		}
		select {
		case w.writes <- writesIn(buf[:n]):
		case <-w.quit:
			return
		}
		time.Sleep(watchEvery)
	}
}

// writesIn counts the writes in a list of events, which have no names.
func writesIn(b []byte) (writes int) {
	for ; len(b) >= unix.SizeofInotifyEvent; b = b[unix.SizeofInotifyEvent:] {
		if binary.NativeEndian.Uint32(b[4:])&unix.IN_MODIFY != 0 {
			writes++
		}
	}
	return writes
}

// close ends the watch.
func (w *watch) close() {
	close(w.quit)
	w.file.Close()
	<-w.ended
}
