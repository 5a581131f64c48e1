package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nuid"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A home is the directory where this user's queues are. Whichever process needs them
// first serves them to the others, and when it ends, even by kill -9, one of those
// goes on: at each attempt to connect it is looked who serves, and if nobody does,
// that is us.
type home struct {
	dir    string
	change func(*settings)      // from now on; nil if they stay
	flush  func(*os.File) error // has the disk keep a file
	tell   func(string)         // what is said of the server
	boot   string               // this run of the machine, "" if unknown

	// ctx ends a start that still reads the store. The client of NATS hands none to Dial.
	ctx     context.Context
	stop    context.CancelFunc
	reading sync.WaitGroup // servers that read the store, or are to end once they have

	mu      sync.Mutex
	lock    *os.File       // held by the process that serves
	server  *server.Server // nil as long as another process serves
	service *service
	opts    *server.Options
	quit    chan struct{} // closed with the server
}

func newHome(dir string) *home {
	ctx, stop := context.WithCancel(context.Background())
	return &home{dir: dir, flush: (*os.File).Sync, tell: say, boot: boot(), ctx: ctx, stop: stop}
}

// Files of a home. keys.go and settings.go have more.
const (
	lockName    = "lock"
	addressName = "address" // of the server, for clients on this machine
	storeName   = "jetstream"
)

const (
	// payloadMost is the longest message of a server of ours: what NATS advises not
	// to exceed.
	payloadMost = 8 << 20
	// startMost is how long a server may take to listen, once it has read its store.
	startMost = time.Minute
	dialMost  = 2 * time.Second
)

var errServed = errors.New("another process serves the queues")

// errStopped says that the home is to end.
var errStopped = fmt.Errorf("interrupted before it served: %w", context.Canceled)

// Dial connects to the server of the home. It implements [nats.CustomDialer].
func (h *home) Dial(string, string) (net.Conn, error) {
	err := h.serve(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT}) // for this machine only
	switch {
	case err == nil:
		c, err := h.inProcess()
		if err != nil {
			return nil, err // no conn at all: the client closes what it gets
		}
		return within{c}, nil
	case !errors.Is(err, errServed):
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(h.dir, addressName))
	if err != nil {
		return nil, fmt.Errorf("%w, and does not say where: %w", errServed, err)
	}
	address := strings.TrimSpace(string(text))
	c, err := net.DialTimeout("tcp", address, dialMost)
	if err != nil {
		return nil, err
	}
	proven, err := h.prove(c)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("what listens at %s does not prove that it serves %s: want a sweetspot of this version there: %w", address, h.dir, err)
	}
	return proven, nil
}

func (h *home) inProcess() (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return nil, errors.New("the server of this process has ended")
	}
	return h.server.InProcessConn()
}

// SkipTLSHandshake tells the client that Dial has done it.
func (h *home) SkipTLSHandshake() bool { return true }

// within is a connection to a server of this process. Its client sets a deadline for
// each write, which costs more than the write; who reads there is as alive as we are.
type within struct{ net.Conn }

func (within) SetWriteDeadline(time.Time) error { return nil }

// serve makes this process the one that serves, unless it is already. The error is
// errServed if another one is.
func (h *home) serve(opts *server.Options) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != nil {
		return nil
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return fmt.Errorf("no place for queues: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(h.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("no place for queues: %w", err)
	}
	if err := run.LockFile(lock); err != nil {
		lock.Close()
		return errServed
	}
	h.lock = lock
	if err := h.serveLocked(opts); err != nil {
		h.unlock(err)
		if h.ctx.Err() != nil {
			h.tell("interrupted while it read the store, which is as it was")
		}
		return err
	}
	return nil
}

// unlock lets others serve, since we cannot. A server that still reads the store keeps them waiting.
func (h *home) unlock(why error) {
	lock := h.lock
	if !errors.Is(why, errStopped) {
		lock.Close()
		return
	}
	go func() {
		h.reading.Wait()
		lock.Close()
	}()
}

// serveLocked is serve for the process that has the lock.
func (h *home) serveLocked(opts *server.Options) error {
	// An address that a killed process left may be another's by now.
	if err := os.Remove(filepath.Join(h.dir, addressName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, err := h.settings()
	if err != nil {
		return err
	}
	set, err := h.keepSettings()
	if err != nil {
		return err
	}
	if err := h.secure(opts); err != nil {
		return err
	}
	opts.ServerName, opts.JetStreamMaxStore = serverName, set.StoreMax
	if set.Sync {
		opts.ServerName = durableName + cmp.Or(h.boot, nuid.Next())
	}
	if err := h.afterRestart(filepath.Join(h.dir, storeName), before.Sync); err != nil {
		return err
	}
	s, err := h.startBoth(opts)
	if err != nil {
		return err
	}
	if host, port, ok := listensAt(s); ok {
		if err := replaceFile(filepath.Join(h.dir, addressName), net.JoinHostPort(host, fmt.Sprint(port))); err != nil {
			h.service.close()
			s.Shutdown()
			return err
		}
	}
	h.server, h.opts, h.quit = s, opts, make(chan struct{})
	go h.watchRoom(s, h.quit)
	return nil
}

func (h *home) startBoth(opts *server.Options) (*server.Server, error) {
	behind := ahead(streamsIn(cmp.Or(opts.StoreDir, filepath.Join(h.dir, storeName)))) // before it writes anything
	s, err := h.start(opts)
	if err != nil {
		return nil, err
	}
	v, err := h.startService(s, opts.StoreDir, behind)
	if err != nil {
		s.Shutdown()
		return nil, err
	}
	h.service = v
	return s, nil
}

// listensAt returns where a process on this machine reaches s.
func listensAt(s *server.Server) (host string, port int, ok bool) {
	address, ok := s.Addr().(*net.TCPAddr)
	if !ok || address == nil {
		return "", 0, false
	}
	if address.IP.IsUnspecified() {
		return "127.0.0.1", address.Port, true
	}
	return address.IP.String(), address.Port, true
}

func (h *home) serves() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server != nil
}

// close lets others serve, for good.
func (h *home) close() {
	h.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return
	}
	_ = os.Remove(filepath.Join(h.dir, addressName)) // nobody listens there any more
	close(h.quit)
	h.service.close()
	h.server.Shutdown()
	h.server.WaitForShutdown()
	h.server = nil
	h.lock.Close()
}

// replaceFile writes a small file that nobody sees half-written, not even after a power failure, unless it is
// there already.
func replaceFile(path, text string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == text+"\n" {
		return nil
	}
	name, err := writeTemp(path, text)
	if err != nil {
		return err
	}
	if err := os.Rename(name, path); err != nil {
		_ = os.Remove(name)
		return err
	}
	return nil
}

// writeTemp writes a new file beside path, and a line feed behind the text.
func writeTemp(path, text string) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text + "\n")
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
