package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// joblogHeader is the first line of a joblog: GNU parallel's columns, so that
// what reads its logs reads ours.
const joblogHeader = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

// logged returns a command as it stands in the log. As in GNU parallel's, a newline is
// written as NUL, which no command can hold. Of so many in a row that they would look
// [unwritten], some are left out.
func logged(command string) string {
	rest := strings.ReplaceAll(command, "\n", "\x00")
	var short strings.Builder
	for {
		i := strings.Index(rest, unwritten)
		if i < 0 {
			break
		}
		short.WriteString(rest[:i+len(unwritten)-1])
		rest = strings.TrimLeft(rest[i:], "\x00")
	}
	if short.Len() == 0 {
		return rest
	}
	return short.String() + rest
}

// record returns what the log says of a job, of its last try, that wrote so many bytes to stdout. It is
// nil without a log, and for a job that has not finished.
func (l *joblog) record(j *job, received int64) []byte {
	if l == nil || j.cut {
		return nil
	}
	ms := j.began.UnixMilli()
	return fmt.Appendf(nil, "%d\t:\t%d.%03d\t%10.3f\t%d\t%d\t%d\t%d\t%s\n",
		j.seq, ms/1000, ms%1000, j.took.Seconds(), j.sent, received, j.end.Status, j.end.Signal, logged(quoteCommand(j.argv)))
}

// A joblog is the file of --joblog. It is written so that a kill -9 at any
// moment leaves a log by which --resume neither leaves out nor repeats a job
// that had finished:
//
//   - A job is recorded after its output has been printed, or kept by --results.
//     Killed between the two, its output appears again; the other way round it
//     would be lost. A job without output is recorded as it ends.
//   - A record is one write of one line, with O_APPEND. What write has taken is
//     in the page cache and outlives us. A kill in the middle of a long write can
//     leave a part of a line; a record without its newline does not count, and the
//     next run cuts it off.
//   - There is no fsync of records: it would only matter when the machine itself goes
//     down, and then a record that is on disk is worth nothing, or does harm, if what
//     its job wrote is not. Nobody can sync that but the job. What a run finds is synced,
//     the first line too, and the log ends where records were not written.
type joblog struct {
	failed func(error) // told of the first write that fails

	mu     sync.Mutex
	file   *os.File
	broken bool
}

// openJoblog opens the log, which keeps what it holds with resume and if its name
// begins with +, and returns what is in it with resume. The file is locked until
// it is closed, so that no two runs write to one log.
func openJoblog(name string, resume bool) (*joblog, *history, error) {
	name, keep := strings.CutPrefix(name, "+")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if errors.Is(err, os.ErrPermission) && !resume {
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0) // such as a device
	}
	if err != nil {
		return nil, nil, unloggable(name, err)
	}
	l, past := &joblog{file: f}, &history{name: name, flag: "--joblog"}
	if err := l.prepare(past, resume, keep); err != nil {
		f.Close()
		return nil, nil, err
	}
	return l, past, nil
}

// readJoblog returns what is in the log, which need not exist.
func readJoblog(name string) (*history, error) {
	h := &history{name: strings.TrimPrefix(name, "+"), flag: "--joblog"}
	st, err := os.Stat(h.name)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	if err == nil && !st.Mode().IsRegular() { // to open a pipe would wait for a writer
		return nil, h.irregular()
	}
	f, err := os.Open(h.name)
	if err != nil {
		return nil, h.unreadable(err)
	}
	defer f.Close()
	_, err = h.read(f, true)
	return h, err
}

// prepare brings the file into the state in which records may be added.
func (l *joblog) prepare(past *history, resume, keep bool) error {
	st, err := l.file.Stat()
	if err != nil {
		return unloggable(past.name, err)
	}
	whole := int64(0)
	switch {
	case st.Mode().IsRegular():
		if LockFile(l.file) != nil {
			return fmt.Errorf("--joblog: %s is in use by another run: wait for its end, or give another file", past.name)
		}
		_ = reserve(l.file) // or somebody else uses it as a lock, as flock(1) does
		if resume || keep {
			if whole, err = past.read(l.file, resume); err != nil {
				return err
			}
		}
		if err := l.file.Truncate(whole); err != nil {
			return unloggable(past.name, err)
		}
	case resume:
		return past.irregular()
	}
	if whole == 0 {
		if _, err := io.WriteString(l.file, joblogHeader); err != nil {
			return unloggable(past.name, err)
		}
	}
	_ = l.file.Sync() // a device need not know of that
	return nil
}

// add writes a record, if there is one.
func (l *joblog) add(line []byte) {
	if line == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return
	}
	if _, err := l.file.Write(line); err != nil {
		l.broken = true
		l.failed(unloggable(l.file.Name(), err))
	}
}

func (l *joblog) close() error {
	if l == nil {
		return nil
	}
	if err := l.file.Close(); err != nil {
		return unloggable(l.file.Name(), err)
	}
	return nil
}

func unloggable(name string, err error) error {
	return fmt.Errorf("--joblog: cannot write %s: %w", name, bare(err))
}
