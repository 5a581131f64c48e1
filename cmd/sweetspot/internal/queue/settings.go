package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// settings belong to the home, not to a process: they hold for whichever serves it.
type settings struct {
	Format   int   `json:"format"`
	Sync     bool  `json:"sync"`                // what is confirmed is on the disk
	StoreMax int64 `json:"store_max,omitempty"` // bytes; 0 is three quarters of what the disk has free when a server starts
}

const settingsName = "home.json"

// homeFormat numbers the layout of a home: its files, keys, streams and records. A change that
// an older binary would misread takes the next number. NATS guards its own files: a stream
// that needs a newer server than the embedded one stays offline.
const homeFormat = 1

var errNewer = errors.New("a newer version of sweetspot wrote it")

// settings reads those of the home. A home without any is new, or older than they are.
func (h *home) settings() (settings, error) {
	s := settings{Format: homeFormat, Sync: true}
	path := filepath.Join(h.dir, settingsName)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, fmt.Errorf("no place for queues: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil || s.Format < 1 || s.StoreMax < 0 {
		return s, fmt.Errorf("%s says %.40q: want {\"format\":%d,\"sync\":true}", path, data, homeFormat)
	}
	if s.Format > homeFormat {
		return s, fmt.Errorf("%s has format %d, this version knows formats up to %d (%w): want that version, or another --dir", h.dir, s.Format, homeFormat, errNewer)
	}
	return s, nil
}

// keepSettings writes the settings that hold from now on. The caller has the lock.
func (h *home) keepSettings() (s settings, err error) {
	if s, err = h.settings(); err != nil {
		return s, err
	}
	if h.change != nil {
		h.change(&s)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	return s, replaceFile(filepath.Join(h.dir, settingsName), string(data))
}
