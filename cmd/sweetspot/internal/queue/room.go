package queue

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// roomEvery is how often it is looked whether the server can still write.
	roomEvery = time.Second
	// roomLeast is what a disk must take for the store to be read anew: many messages.
	roomLeast = 1 << 20
)

// watchRoom restarts a server that could not write to its store, as on a full disk, once there
// is room again. NATS gives up a stream, or all of them, when that happens, until it is started
// anew, and its clients get no answer.
func (h *home) watchRoom(s *server.Server, quit <-chan struct{}) {
	said := false
	for {
		select {
		case <-time.After(roomEvery):
		case <-quit:
			return
		}
		why := broken(s)
		if why == "" {
			continue
		}
		dir := s.StoreDir()
		if !said {
			said = true
			h.tell(fmt.Sprintf("cannot write to %s: %s; waiting for room", dir, why))
		}
		if takes(dir, roomLeast) == nil {
			h.restart(s)
			return
		}
	}
}

// broken returns why s cannot write, "" if it can as far as it knows.
func broken(s *server.Server) string {
	if !s.JetStreamEnabled() {
		return "the server has ended JetStream"
	}
	// With details, for else it says only what it meets first, such as a queue that is damaged.
	for _, e := range s.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if strings.Contains(e.Error, "write error") {
			return e.Error
		}
	}
	return ""
}

// takes writes n bytes to a directory, to see whether it can.
func takes(dir string, n int) error {
	f, err := os.CreateTemp(dir, "room-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, n))
	return cmp.Or(err, f.Sync(), f.Close())
}

// restart has another server take the place of s, at its address. If that is not possible, it
// lets go of the home, and closes quit: queue serve, and the next process that needs a server, try
// again.
func (h *home) restart(s *server.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != s {
		return
	}
	opts := h.opts.Clone()
	if _, port, ok := listensAt(s); ok {
		opts.Port = port
	}
	h.service.close()
	s.Shutdown()
	s.WaitForShutdown()
	next, err := h.startBoth(opts)
	if err != nil {
		h.tell(err.Error())
		h.server = nil
		h.unlock(err)
		close(h.quit)
		return
	}
	h.tell("there is room again")
	h.server = next
	go h.watchRoom(next, h.quit)
}
