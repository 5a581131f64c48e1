package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A disk has the disk keep what the server has confirmed. The server writes each message to
// a file before it confirms it, and has the disk keep files every two minutes; to have it do so for
// each message (its SyncAlways) costs two writes of the disk for each job, one after the other.
// Here one flush serves all that wait.
//
// A store of NATS has a directory for each stream: meta.inf, then meta.sum, which are written anew when the
// stream is changed, and in msgs blocks of messages with ascending numbers, of which only the last one grows.
type disk struct {
	dir, home string // of the streams, and a directory above it
	known     map[string]stored
	failed    error // of the disk: what it did not keep once, it may claim to have kept later
	flush     func(*os.File) error
}

type stored struct {
	sum  os.FileInfo
	last int   // the last block that was there
	size int64 // that the disk keeps of it
}

// A part of a queue that the disk is to keep.
type part string

const (
	whole   part = ""
	results part = "results" // with their outputs; a job that comes again, or lost its number, meets its result
)

func newDisk(dir, home string, flush func(*os.File) error) *disk {
	return &disk{dir: dir, home: home, known: map[string]stored{}, flush: flush}
}

// syncQueue returns when the disk keeps all that was confirmed of a queue, or of its results.
func (d *disk) syncQueue(name string, of part) error {
	if d.failed != nil {
		return d.failed
	}
	id := prefix + name
	streams := []string{"OBJ_" + id, "KV_" + id, id} // outputs, results, jobs
	if of == results {
		streams = streams[:2]
	}
	return d.syncStreams(streams...)
}

func (d *disk) syncStreams(streams ...string) error {
	for _, stream := range streams {
		if err := d.sync(stream); err != nil {
			err = fmt.Errorf("the disk does not keep the queues in %s: %w", d.home, err)
			if _, ok := errors.AsType[unflushed](err); ok {
				d.failed = err
			}
			return err
		}
	}
	return nil
}

// unflushed is the error of a flush. Others, such as of too many open files, pass.
type unflushed struct{ error }

func (e unflushed) Unwrap() error { return e.error }

// sync has the disk keep a stream. One that is not there needs nothing.
func (d *disk) sync(stream string) error {
	dir := filepath.Join(d.dir, stream)
	sum, err := os.Stat(filepath.Join(dir, "meta.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		delete(d.known, stream)
		return nil
	}
	if err != nil {
		return err
	}
	// A copy: what is known does not change before all is kept.
	s, known := d.known[stream]
	if !known || !os.SameFile(s.sum, sum) || !s.sum.ModTime().Equal(sum.ModTime()) { // made, or made anew
		s = stored{sum: sum}
		if err := d.syncAll(dir); err != nil {
			return err
		}
	}
	blocks := filepath.Join(dir, "msgs")
	f, err := os.Open(blocks)
	if err != nil {
		return missing(err)
	}
	names, err := f.Readdirnames(-1)
	f.Close()
	if err != nil {
		return err
	}
	before := s.last
	for _, name := range names {
		text, block := strings.CutSuffix(name, ".blk")
		n, err := strconv.Atoi(text)
		if !block || err != nil || n < before {
			continue
		}
		kept := int64(-1)
		if n == before {
			kept = s.size
		}
		size, err := d.syncFile(filepath.Join(blocks, name), kept)
		if err != nil {
			return err
		}
		if n >= s.last {
			s.last, s.size = n, size
		}
	}
	if s.last > before {
		if err := d.syncDir(blocks); err != nil {
			return err
		}
	}
	d.known[stream] = s
	return nil
}

// syncAll has the disk keep the files and directories in dir, and dir itself.
func (d *disk) syncAll(dir string) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			err = d.syncDir(path)
		} else if err == nil {
			_, err = d.syncFile(path, -1)
		}
		return missing(err)
	})
	// The home may have been made just now, and directories above it. Those that are not ours to
	// read were there before.
	for up, ours := filepath.Dir(dir), true; err == nil; up = filepath.Dir(up) {
		if serr := d.syncDir(up); ours {
			err = serr
		}
		if up == d.home {
			ours = false
		}
		if up == filepath.Dir(up) {
			break
		}
	}
	return err
}

// syncFile has the disk keep a file, unless it has kept bytes already, and returns its size.
func (d *disk) syncFile(path string, kept int64) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows wants to write what it syncs
	if err != nil {
		return 0, missing(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == kept {
		return kept, err
	}
	return info.Size(), d.keep(f)
}

// syncDir has the disk keep the names in a directory.
func (d *disk) syncDir(dir string) error {
	if runtime.GOOS == "windows" { // which has no such call
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return missing(err)
	}
	defer f.Close()
	return d.keep(f)
}

// keep flushes a file or a directory.
func (d *disk) keep(f *os.File) error {
	if err := d.flush(f); err != nil {
		return unflushed{err}
	}
	return nil
}

// missing leaves out that a file is gone: the server removes those that it needs no more.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
