package main

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// A host is where the servers of one work live: a private directory, and all
// that has to end with it.
type host struct {
	dir  string
	as   *account // whom servers run as; nil is ourselves
	ends []func() // in the order of their beginnings
}

// An account is a user of the system.
type account struct{ uid, gid uint32 }

// newHost makes a host. Close it.
func newHost() (*host, error) {
	h := new(host)
	var err error
	if h.dir, err = os.MkdirTemp("", "sweetspot-world-"); err != nil {
		return nil, err
	}
	h.atEnd(func() { os.RemoveAll(h.dir) })
	if os.Geteuid() == 0 { // PostgreSQL refuses root, and no server here needs it
		if err = h.beNobody(); err != nil {
			h.close()
			return nil, err
		}
	}
	return h, nil
}

// beNobody lets servers run as the user nobody and own the directory.
func (h *host) beNobody() error {
	u, err := user.Lookup("nobody")
	if err != nil {
		return fmt.Errorf("servers do not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	h.as = &account{uint32(uid), uint32(gid)}
	return os.Chown(h.dir, int(uid), int(gid))
}

// atEnd lets close call end; what began last ends first.
func (h *host) atEnd(end func()) { h.ends = append(h.ends, end) }

// close ends everything on the host and removes its directory.
func (h *host) close() {
	for i := len(h.ends) - 1; i >= 0; i-- {
		h.ends[i]()
	}
	h.ends = nil
}

func (h *host) path(name string) string { return filepath.Join(h.dir, name) }

// write writes a file that servers can read.
func (h *host) write(name, content string) error {
	path := h.path(name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil || h.as == nil {
		return err
	}
	return os.Chown(path, int(h.as.uid), int(h.as.gid))
}
