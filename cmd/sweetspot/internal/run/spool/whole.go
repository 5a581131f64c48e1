package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// leastBlock divides the block sizes of all file systems. What a full one takes
// of a write ends at a block, so of a file that has another size nothing is
// missing. (On one that never writes to a block again, such as btrfs, what is
// appended to a block in part may be refused whole: that stays unnoticed.)
const leastBlock = 512

// Whole returns an error if what a job wrote may lack something because a write
// failed, of which not every program tells. It is called when the job has ended,
// and finds out by trying whether there is room now: space that was given back
// before that hides what happened. A job that wrote nothing costs one call of
// the system for each stream, and so does nearly every other.
//
// Alone is asked whether nobody else may write to the files or read them meanwhile.
// If somebody may, they are not tried where that would change them.
func (s *Spool) Whole(alone func() bool) error {
	for _, f := range s.Files() {
		size, written, err := look(f)
		switch {
		case err != nil:
			return err
		case !written:
		case size >= fileLimit():
			return errors.New("it is as large as a file may be here (ulimit -f)")
		case size%leastBlock == 0:
			if err := tryRoom(f, size, alone()); err != nil {
				return s.NoRoom(err)
			}
		}
	}
	return nil
}

// NoRoom says why there is none.
func (s *Spool) NoRoom(err error) error {
	dir, hint := Dir(), "; TMPDIR can name another directory"
	if s.Dir != "" {
		dir, hint = s.Dir, ""
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s is full%s", dir, hint)
	case errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the disk quota for %s is used up%s", dir, hint)
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // dir is named already
	}
	return fmt.Errorf("cannot write to %s: %w%s", dir, err, hint)
}

// appendOne tries whether a file of some size can grow, and leaves it as it was.
func appendOne(f *os.File, size int64) error {
	_, err := f.Write([]byte{0})
	if terr := f.Truncate(size); err == nil {
		err = terr
	}
	return err
}
