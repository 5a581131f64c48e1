package queue

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// A server that holds many messages takes a while to read its store. Meanwhile a file
	// says so to the processes that wait for it.
	startingName  = "starting"
	startingEvery = time.Second
	// startingStale is how old that file is when nobody writes it any more.
	startingStale = 10 * startingEvery
	// startingSay is how often it is said.
	startingSay = 10 * time.Second
)

// A recovery is a server that reads its store. It listens to what that logs.
type recovery struct {
	failed atomic.Value // why it cannot start, a string
}

// Fatalf implements [server.Logger]. Another one would end the process here.
func (r *recovery) Fatalf(format string, args ...any) {
	r.failed.CompareAndSwap(nil, fmt.Sprintf(format, args...))
}

func (*recovery) Noticef(string, ...any) {}
func (*recovery) Warnf(string, ...any)   {}
func (*recovery) Errorf(string, ...any)  {}
func (*recovery) Debugf(string, ...any)  {}
func (*recovery) Tracef(string, ...any)  {}

func (h *home) start(opts *server.Options) (*server.Server, error) {
	opts.JetStream, opts.NoSigs = true, true
	opts.NoSublistCache = true // each job has subjects of its own, which are not met again
	opts.StoreDir = cmp.Or(opts.StoreDir, filepath.Join(h.dir, storeName))
	opts.NoLog, opts.MaxPayload = true, payloadMost
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("cannot serve queues: %w", err)
	}
	if opts.Port > 0 && !opts.DontListen { // the server would not say that it cannot listen
		l, err := net.Listen("tcp", net.JoinHostPort(opts.Host, fmt.Sprint(opts.Port)))
		if err != nil {
			return nil, fmt.Errorf("cannot serve queues: %w", err)
		}
		l.Close()
	}
	r := &recovery{}
	s.SetLogger(r, false, false)
	started := make(chan struct{})
	h.reading.Go(func() {
		defer close(started)
		s.Start()
	})
	if !h.follow(started) {
		h.reading.Go(func() {
			<-started
			s.Shutdown()
			s.WaitForShutdown()
		})
		return nil, errStopped
	}
	// It does not listen without its store.
	if why := r.failed.Load(); why != nil || !s.JetStreamEnabled() || !s.ReadyForConnections(startMost) {
		s.Shutdown()
		return nil, fmt.Errorf("cannot serve queues at %s from %s (%v): is the directory ours to write to, and has the disk room?",
			net.JoinHostPort(opts.Host, fmt.Sprint(opts.Port)), opts.StoreDir, cmp.Or[any](why, "it does not get ready"))
	}
	return s, nil
}

// follow waits for a server to have started, however long it reads its store, and reports whether
// it has: stop ends the wait. The file says it each second, and tell hears of it now and then.
func (h *home) follow(started <-chan struct{}) bool {
	file := filepath.Join(h.dir, startingName)
	defer os.Remove(file)
	began, told := time.Now(), time.Now()
	tick := time.NewTicker(startingEvery)
	defer tick.Stop()
	for {
		select {
		case <-started:
			return true
		case <-h.ctx.Done():
			return false
		case <-tick.C:
		}
		far := fmt.Sprintf("reading the store since %v", time.Since(began).Round(time.Second))
		_ = replaceFile(file, far) // without it the others give up sooner
		if time.Since(told) >= startingSay {
			told = time.Now()
			h.tell(far)
		}
	}
}

// starting returns what a server does that another process starts, "" if none is.
func (h *home) starting() string {
	file := filepath.Join(h.dir, startingName)
	st, err := os.Stat(file)
	if err != nil || time.Since(st.ModTime()).Abs() > startingStale {
		return ""
	}
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}
