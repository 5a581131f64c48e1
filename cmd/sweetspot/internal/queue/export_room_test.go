package queue

import (
	"context"
	"os"
)

// ServeUntil is queue serve, which says what it has to say by tell.
func ServeUntil(ctx context.Context, h Home, tell func(string)) error {
	h.tell = tell
	return (&serveOptions{listen: "127.0.0.1:0"}).serveHome(ctx, h.home)
}

// RestartFails has the server of h give way to one that cannot start.
func (h Home) RestartFails() {
	h.mu.Lock()
	s := h.server
	h.opts.StoreDir = os.DevNull
	h.mu.Unlock()
	h.restart(s)
}

// ServerID tells a server of h from another one.
func (h Home) ServerID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return ""
	}
	return h.server.ID()
}
