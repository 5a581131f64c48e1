package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// group is a fanotify group: marks, and a queue of events.
type group struct {
	fd   int
	file *os.File
	raw  syscall.RawConn
}

// serveFanotify scans what the target opens below the roots until end is closed.
func (e *engine) serveFanotify(end <-chan struct{}) error {
	fd, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT|unix.FAN_CLOEXEC|unix.FAN_NONBLOCK, unix.O_RDONLY|unix.O_LARGEFILE|unix.O_CLOEXEC)
	if err != nil {
		return fmt.Errorf("not permitted: fanotify_init: %w", err)
	}
	g := &group{fd: fd, file: os.NewFile(uintptr(fd), "fanotify")}
	if g.raw, err = g.file.SyscallConn(); err != nil {
		return err
	}
	go func() { // before the first mark: from it on, opens wait for us
		if err := e.events(g); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}()
	for _, root := range e.Roots {
		if err := g.mark(root); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	go func() {
		for range time.Tick(sign) {
			fmt.Println("alive")
		}
	}()
	<-end
	return e.tell()
}

// mark marks the directories below root, or the file root. Directories on other
// file systems are left out.
func (g *group) mark(root string) error {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	var device uint64
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				return err
			}
			return nil // what cannot be read cannot be opened below either
		}
		if path != root && !d.IsDir() {
			return nil
		}
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			return fs.SkipDir
		}
		if path == root {
			device = uint64(st.Dev)
		} else if uint64(st.Dev) != device {
			return fs.SkipDir
		}
		mask := uint64(unix.FAN_OPEN_PERM)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			mask |= unix.FAN_EVENT_ON_CHILD
		}
		// No FAN_MARK_MOUNT, no FAN_MARK_FILESYSTEM: this inode alone.
		err = unix.FanotifyMark(g.fd, unix.FAN_MARK_ADD, mask, unix.AT_FDCWD, path)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			return fmt.Errorf("not permitted: fanotify_mark: %w", err)
		}
		if err != nil {
			return fmt.Errorf("fanotify_mark %s: %w", path, err)
		}
		return nil
	})
}

// events reads and answers events until the group is closed.
func (e *engine) events(g *group) error {
	self := int32(os.Getpid())
	buf := make([]byte, 64<<10)
	for {
		n, err := g.file.Read(buf)
		if errors.Is(err, fs.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading fanotify events: %w", err)
		}
		for rest := buf[:n]; len(rest) >= int(unsafe.Sizeof(unix.FanotifyEventMetadata{})); {
			m := (*unix.FanotifyEventMetadata)(unsafe.Pointer(&rest[0]))
			if m.Vers != unix.FANOTIFY_METADATA_VERSION || int(m.Event_len) > len(rest) {
				return fmt.Errorf("fanotify events of version %d: want %d", m.Vers, unix.FANOTIFY_METADATA_VERSION)
			}
			rest = rest[m.Event_len:]
			if m.Fd < 0 || m.Mask&unix.FAN_OPEN_PERM == 0 {
				continue
			}
			v := &verdict{g: g, file: os.NewFile(uintptr(m.Fd), "event"), fd: m.Fd}
			if m.Pid == self || m.Pid != int32(e.Target) {
				v.allow(nil)
				v.file.Close()
				continue
			}
			go e.judge(v)
		}
	}
}

// judge scans the file of an event, and then allows it to be opened.
func (e *engine) judge(v *verdict) {
	defer v.file.Close()
	late := time.AfterFunc(e.Timeout, func() { v.allow(&e.late) })
	e.scan(v.file)
	late.Stop()
	v.allow(nil)
}

// A verdict is the answer to an event, given once.
type verdict struct {
	g    *group
	file *os.File
	fd   int32
	once sync.Once
}

// allow answers, unless that has been done, and then counts it before it does.
func (v *verdict) allow(count *atomic.Int64) {
	v.once.Do(func() {
		if count != nil {
			count.Add(1)
		}
		var answer [8]byte
		binary.NativeEndian.PutUint32(answer[:], uint32(v.fd))
		binary.NativeEndian.PutUint32(answer[4:], unix.FAN_ALLOW)
		// It fails only if the process that waited was killed.
		v.g.raw.Write(func(fd uintptr) bool {
			unix.Write(int(fd), answer[:])
			return true
		})
	})
}

// watch starts the scanner and kills it if it is silent for too long. It passes
// on what the scanner says, except for its signs of life.
func watch(o order, end <-chan struct{}) error {
	cmd, stdin, said, err := spawn(context.Background(), roleFanotify, o)
	if err != nil {
		return err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for {
			line, err := said.ReadString('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	silence := time.NewTimer(o.Timeout + patience) // for the marks
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return cmd.Wait()
			}
			if line != "alive\n" {
				fmt.Print(line)
			}
			silence.Reset(patience)
		case <-end:
			stdin.Close()
			end = nil
			silence.Reset(patience)
		case <-silence.C:
			cmd.Process.Kill()
		}
	}
}
