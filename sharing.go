package sweetspot

import (
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/share"
)

// A Sharing connects Limiters of several processes; see [Share]. A nil *Sharing, as an
// option of [New], shares nothing.
type Sharing struct{ folder *share.Folder }

// Share joins the processes of this user on this machine that agree on a name, such as
// that of a server that all of them use. As an option of [New], a Sharing makes
// Limiters of these processes act like Limiters of one process: while units queue, each
// counts what the others lose when it tries another limit. Without it each process
// takes what it can get from the others.
//
// A name has up to 64 of a-z, A-Z, 0-9, dot, dash and underscore, and begins with a
// letter or digit. The processes meet in a folder that only their user can read:
// sweetspot in XDG_RUNTIME_DIR or, if that is not a folder of the user, sweetspot-UID
// in [os.TempDir]; on Windows in [os.UserCacheDir]. These must be the same for all.
// Each process keeps a file of 24 bytes there, which [Sharing.Close] removes. The file
// of a process that ends without Close, or is killed, does no harm, and the next
// process removes it after a minute. While units are in flight, reading and writing
// takes a process about 3 µs a hundred times a second, and half a microsecond more for
// each other process.
//
// The error says what is wrong with the name or the folder. Later failures, such as a
// full disk, are not reported: the Limiters then decide as without a Sharing.
func Share(name string) (*Sharing, error) {
	f, err := share.Open(name)
	if err != nil {
		return nil, err
	}
	return &Sharing{f}, nil
}

// Met returns how many other processes have shared the name since [Share], including
// those that have ended. While units are in flight, a new process is noticed within
// half a second.
func (s *Sharing) Met() int {
	if s == nil {
		return 0
	}
	return s.folder.Met()
}

// Close leaves the other processes. Limiters that use s may go on without them.
func (s *Sharing) Close() error {
	if s == nil {
		return nil
	}
	return s.folder.Close()
}

func (s *Sharing) limiter(c *loop.Config) {
	if s != nil {
		c.Outside = s.folder
	}
}
