package sweetspot

import (
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/internal/share"
)

// A Sharing lets Limiters of several processes know of each other; see [Share]. A nil
// *Sharing, as an option of [New], shares nothing.
type Sharing struct{ folder *share.Folder }

// Share joins the processes of this user on this machine that agree on a name, such as that
// of a server that all of them use. As an option of [New] it lets a Limiter do what those
// of one process do anyway: while units queue, each counts what the others lose when it
// tries another limit. Without it each process takes from the others what it can get.
//
// A name has up to 64 letters, digits, dots, dashes and underscores. The processes meet in a
// folder that only their user can read: sweetspot in XDG_RUNTIME_DIR or, where that is not
// set, sweetspot-UID in [os.TempDir]; on Windows in [os.UserCacheDir]. These must be the same
// for all. Each keeps a file of 24 bytes there, which [Sharing.Close] removes. The file of a
// process that ends without that, or is killed, disturbs nobody, and the next one removes it
// after a minute. While units are in flight, reading and writing takes a process some 3 µs a
// hundred times a second, and half a microsecond more for each other one.
//
// The error says what is wrong with the name or the folder. What fails later, such as a disk
// that is full, is not reported: the Limiters then decide as without a Sharing.
func Share(name string) (*Sharing, error) {
	f, err := share.Open(name)
	if err != nil {
		return nil, err
	}
	return &Sharing{f}, nil
}

// Met returns how many other processes have shared the name since [Share], those that have
// ended included. One that comes is met within half a second, while units are in flight.
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
