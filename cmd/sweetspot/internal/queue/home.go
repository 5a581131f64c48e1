package queue

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// A home is the directory where this user's queues are. Whichever process needs them
// first serves them to the others, and when it ends, even by kill -9, one of those
// goes on: at each attempt to connect it is looked who serves, and if nobody does,
// that is us.
type home struct {
	dir  string
	sync bool         // each message reaches the disk before it is confirmed
	open bool         // everybody who reaches the server may use it
	most int64        // bytes that the store may have; 0 is three quarters of what the disk has for it
	tell func(string) // what is said of the server

	mu     sync.Mutex
	lock   *os.File       // held by who serves
	server *server.Server // nil as long as somebody else serves
	opts   *server.Options
	quit   chan struct{} // closed with the server
}

// Files of a home.
const (
	lockName    = "lock"
	addressName = "address" // of who serves, for clients on this machine
	keyName     = "user.nk" // the key of all clients
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

// homeDir returns where the queues are by the XDG base directory specification.
func homeDir() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification wants others ignored
		var err error
		if runtime.GOOS == "windows" {
			dir, err = os.UserCacheDir()
		} else if dir, err = os.UserHomeDir(); err == nil {
			dir = filepath.Join(dir, ".local", "state")
		}
		if err != nil {
			return "", fmt.Errorf("no place for queues: %w; give --dir DIR, or --server URL", err)
		}
	}
	return filepath.Join(dir, "sweetspot", "queue"), nil
}

// errServed says that another process has the store.
var errServed = errors.New("another process serves the queues")

// Dial connects to who serves the home. It implements [nats.CustomDialer].
func (h *home) Dial(string, string) (net.Conn, error) {
	err := h.serve(h.options())
	switch {
	case err == nil:
		c, err := h.server.InProcessConn()
		if err != nil {
			return nil, err // no conn at all: the client closes what it gets
		}
		return within{c}, nil
	case !errors.Is(err, errServed):
		return nil, err
	}
	address, err := os.ReadFile(filepath.Join(h.dir, addressName))
	if err != nil {
		return nil, fmt.Errorf("%w, and does not say where: %w", errServed, err)
	}
	return net.DialTimeout("tcp", strings.TrimSpace(string(address)), dialMost)
}

// within is a connection to a server of this process. Its client sets a deadline for
// each write, which costs more than the write; who reads there is as alive as we are.
type within struct{ net.Conn }

func (within) SetWriteDeadline(time.Time) error { return nil }

// options returns those of a server for this machine only.
func (h *home) options() *server.Options {
	return &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT}
}

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
	local := opts.ConfigFile == "" && !opts.TLS
	if opts.ConfigFile == "" {
		user, err := h.user()
		if err != nil {
			lock.Close()
			return err
		}
		opts.Nkeys = []*server.NkeyUser{user}
		if h.open { // our clients sign all the same
			opts.Users, opts.NoAuthUser = []*server.User{{Username: "anybody"}}, "anybody"
		}
	}
	s, err := h.start(opts)
	if err != nil {
		lock.Close()
		return err
	}
	if host, port, ok := listensAt(s); local && ok {
		if err := replaceFile(filepath.Join(h.dir, addressName), net.JoinHostPort(host, fmt.Sprint(port))); err != nil {
			s.Shutdown()
			lock.Close()
			return err
		}
	}
	h.server, h.lock, h.opts, h.quit = s, lock, opts, make(chan struct{})
	go h.watchRoom(s, h.quit)
	return nil
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

// start starts a server on the store.
func (h *home) start(opts *server.Options) (*server.Server, error) {
	opts.JetStream, opts.NoSigs = true, true
	opts.NoSublistCache = true // each job has subjects of its own, which are not met again
	if opts.StoreDir == "" {
		opts.StoreDir = filepath.Join(h.dir, storeName)
	}
	if opts.ConfigFile == "" {
		opts.NoLog, opts.MaxPayload, opts.SyncAlways, opts.JetStreamMaxStore = true, payloadMost, h.sync, h.most
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("cannot serve queues: %w", err)
	}
	if opts.ConfigFile != "" {
		s.ConfigureLogger()
	}
	if opts.Port > 0 { // the server would not say that it cannot listen
		l, err := net.Listen("tcp", net.JoinHostPort(opts.Host, fmt.Sprint(opts.Port)))
		if err != nil {
			return nil, fmt.Errorf("cannot serve queues: %w", err)
		}
		l.Close()
	}
	r := &recovery{}
	if opts.ConfigFile == "" {
		s.SetLogger(r, false, false)
	}
	r.run(s, opts.StoreDir, filepath.Join(h.dir, startingName), h.tell)
	if !s.ReadyForConnections(startMost) || !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("cannot serve queues at %s from %s: is the directory ours to write to, and has the disk room?",
			net.JoinHostPort(opts.Host, fmt.Sprint(opts.Port)), opts.StoreDir)
	}
	return s, nil
}

// seed returns the file of the key that clients of this home sign with. It is made if
// it is not there.
func (h *home) seed() (string, error) {
	path := filepath.Join(h.dir, keyName)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return "", err
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	seed, err := user.Seed()
	if err != nil {
		return "", err
	}
	// Of two that make one at a time, the link lets the first win.
	f, err := os.CreateTemp(h.dir, keyName+"-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "%s\n", seed)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("cannot make the key of the queues: %w", err)
	}
	return path, nil
}

// user returns what a server knows of the key: nothing to sign with.
func (h *home) user() (*server.NkeyUser, error) {
	path, err := h.seed()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(text))))
	if err != nil {
		return nil, fmt.Errorf("the key in %s: %w", path, err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("the key in %s: %w", path, err)
	}
	return &server.NkeyUser{Nkey: public}, nil
}

// serves reports whether this process serves.
func (h *home) serves() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.server != nil
}

// close lets others serve.
func (h *home) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return
	}
	_ = os.Remove(filepath.Join(h.dir, addressName)) // who finds it meets nobody there
	close(h.quit)
	h.server.Shutdown()
	h.server.WaitForShutdown()
	h.server = nil
	h.lock.Close()
}

// replaceFile writes a small file that nobody sees half-written.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
