package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// A shelf is a directory in which the outputs of running jobs have names, SEQ.stdout
// and SEQ.stderr, so that people can read along. It is made when the first job has run
// for a while, and goes with the run; if that is killed, the guard removes it.
//
// The names are links to the files that the jobs write to. Where the system cannot
// give a name to a file without one, there is no shelf.
type shelf struct {
	path string // nobody else can guess it or look into it; "" if there is no shelf
	made bool
}

// newShelf plans a shelf.
func newShelf() *shelf {
	dir, err := filepath.Abs(spool.Dir())
	if err != nil {
		return &shelf{}
	}
	return &shelf{path: filepath.Join(dir, fmt.Sprintf("sweetspot-%d-%s", os.Getpid(), strconv.FormatUint(rand.Uint64(), 36)))}
}

// put gives the output of a job its names, unless it has some by --results.
func (s *shelf) put(sp *spool.Spool, seq int64) {
	if sp.Dir != "" || s.path == "" {
		return
	}
	if !s.made {
		if os.Mkdir(s.path, 0o700) != nil {
			s.path = ""
			return
		}
		s.made = true
	}
	sp.Lent = true // a file that has had a name gets no other
	for i, f := range sp.Files() {
		if err := spool.Link(f, s.name(seq, i)); errors.Is(err, errors.ErrUnsupported) {
			s.close()
			return
		}
	}
}

func (s *shelf) take(sp *spool.Spool, seq int64) {
	if sp.Dir == "" && s.made {
		for i := range sp.Files() {
			_ = os.Remove(s.name(seq, i)) // it may have none
		}
	}
}

func (s *shelf) name(seq int64, stream int) string {
	return filepath.Join(s.path, fmt.Sprintf("%d.%s", seq, resultNames[stream]))
}

// close removes the shelf.
func (s *shelf) close() {
	if s.made {
		_ = os.RemoveAll(s.path)
	}
	s.path, s.made = "", false
}
