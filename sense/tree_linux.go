package sense

import (
	"os"
	"strconv"
	"syscall"
)

// A walk goes through a tree of processes.
type walk struct {
	page  float64
	most  int  // files of one tree
	files int  // opened in this round
	cut   bool // not all of the tree was read
	path  []byte
	stack []int
	buf   []byte // content of a file
	list  []byte // entries of a directory
}

// newWalk returns a walk that opens at most the given number of files for a
// tree below root.
func newWalk(root string, most int) walk {
	return walk{
		page:  float64(os.Getpagesize()),
		most:  most,
		path:  make([]byte, 0, len(root)+64),
		stack: make([]int, 0, most),
		buf:   make([]byte, scratch),
		list:  make([]byte, 8*most),
	}
}

// anyParent accepts a process whatever its parent is.
const anyParent = -1

// tree returns what process pid, a child of parent, and its descendants use. Parents are
// read before their children: a child that ends in between is missing then, which the
// caller repairs. The other order would count it twice, which it could not repair.
func (w *walk) tree(root string, pid, parent int) (s sight, ok bool) {
	start := w.files
	s.asleep, w.cut = true, false
	w.stack = append(w.stack[:0], pid)
	for len(w.stack) > 0 {
		if w.files-start >= w.most {
			w.cut = true
			break
		}
		p := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		st, exists := processTimes(w.read(root, p, "/stat"))
		if !exists || p == pid && parent != anyParent && st.parent != parent {
			if p == pid {
				return sight{}, false // gone, or the number is a stranger's by now
			}
			continue
		}
		ok = true
		s.cpu += perTick * float64(st.ticks)
		s.held += w.page * float64(st.pages)
		s.asleep = s.asleep && st.asleep
		before := len(w.stack)
		if w.push(root, p, st.threads); len(w.stack) == before {
			s.ends += max(st.threads, 1)
		}
	}
	return s, ok
}

// push puts the children of process p on the stack. The kernel lists them by
// the thread that started them.
func (w *walk) push(root string, p, threads int) {
	w.children(root, p, p)
	if threads <= 1 {
		return
	}
	w.path = appendProcess(w.path[:0], root, p, 0)
	w.path = append(w.path, "/task\x00"...)
	fd, errno := openat(w.path, syscall.O_DIRECTORY)
	if errno != 0 {
		return
	}
	w.files++
	// One list full, a thread for every three files of a tree, is enough: what starts
	// processes is seldom the youngest thread.
	n, _ := syscall.ReadDirent(fd, w.list)
	syscall.Close(fd)
	w.cut = w.cut || n > len(w.list)-longestEntry
	for name := range names(w.list[:max(n, 0)]) {
		if tid, _, ok := number(name); ok && int(tid) != p {
			if w.files >= perRound+w.most {
				w.cut = true
				return
			}
			w.children(root, p, int(tid))
		}
	}
}

const (
	longestPID   = 11 // bytes, with the blank behind it
	longestEntry = 32 // bytes of one in the directory of the threads
)

// children puts the processes that a thread of process p started on the stack, as far as
// there is room. The kernel gives at most a page of them at a time.
func (w *walk) children(root string, p, thread int) {
	f := w.open(root, p, thread, "/children")
	defer f.close()
	for offset, before := 0, -1; offset > before; {
		before = offset
		b := f.readAt(w.buf, int64(offset))
		if before > 0 && len(b) > 0 && b[0] != ' ' { // a child has ended: this is within a number
			w.cut = true
			return
		}
		more := len(b) > len(w.buf)-longestPID
		for {
			v, rest, ok := number(b)
			if !ok || more && len(rest) == 0 { // the end of the number may be missing
				break
			}
			if len(w.stack) == cap(w.stack) {
				w.cut = true
				return
			}
			w.stack = append(w.stack, int(v))
			offset += len(b) - len(rest)
			b = rest
		}
		if !more {
			return
		}
	}
}

// read returns the content of a file of process p.
func (w *walk) read(root string, p int, name string) []byte {
	f := w.open(root, p, 0, name)
	defer f.close()
	return f.read(w.buf)
}

// open opens a file of process p or, where thread is not 0, of that thread of it.
func (w *walk) open(root string, p, thread int, name string) file {
	w.path = appendProcess(w.path[:0], root, p, thread)
	w.path = append(w.path, name...)
	w.path = append(w.path, 0)
	w.files++
	fd, errno := openat(w.path, 0)
	if errno != 0 {
		return file{}
	}
	return file{fd + 1}
}

// appendProcess appends root/proc/PID or root/proc/PID/task/THREAD.
func appendProcess(b []byte, root string, p, thread int) []byte {
	b = append(append(b, root...), "/proc/"...)
	b = strconv.AppendInt(b, int64(p), 10)
	if thread != 0 {
		b = append(b, "/task/"...)
		b = strconv.AppendInt(b, int64(thread), 10)
	}
	return b
}
