package queue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// A server that holds many messages takes a while to read its store. Meanwhile a file
	// says how far it is, for the processes that wait for it.
	startingName  = "starting"
	startingEvery = time.Second
	// startingStale is how old that file is when nobody writes it any more.
	startingStale = 10 * startingEvery
	// startingSay is how often it is said.
	startingSay = 10 * time.Second
)

// A recovery is a server that reads its store. It listens to what that logs, which is
// all it says of how far it is.
type recovery struct {
	all, done atomic.Int64 // streams
}

// Noticef implements [server.Logger].
func (r *recovery) Noticef(format string, _ ...any) {
	if strings.Contains(format, "Restored %s messages for stream") {
		r.done.Add(1)
	}
}

func (*recovery) Warnf(string, ...any)  {}
func (*recovery) Fatalf(string, ...any) {}
func (*recovery) Errorf(string, ...any) {}
func (*recovery) Debugf(string, ...any) {}
func (*recovery) Tracef(string, ...any) {}

// run starts s, which reads its store first, however long that takes. The file says each second
// how far it is, and tell hears of it now and then.
func (r *recovery) run(s *server.Server, store, file string, tell func(string)) {
	if streams, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", "*")); err == nil {
		r.all.Store(int64(len(streams)))
	}
	began, told := time.Now(), time.Now()
	started := make(chan struct{})
	go func() {
		defer close(started)
		s.Start()
	}()
	tick := time.NewTicker(startingEvery)
	defer tick.Stop()
	for {
		select {
		case <-started:
			_ = os.Remove(file)
			return
		case <-tick.C:
		}
		// A queue has two streams, and a third one if it has long outputs.
		far := fmt.Sprintf("reading the store since %v: %d of %d streams", time.Since(began).Round(time.Second), r.done.Load(), r.all.Load())
		_ = replaceFile(file, far) // without it the others give up sooner
		if time.Since(told) >= startingSay {
			told = time.Now()
			tell(far)
		}
	}
}

// starting returns how far a server is that another process starts, "" if none is.
func (h *home) starting() string {
	file := filepath.Join(h.dir, startingName)
	st, err := os.Stat(file)
	if err != nil || time.Since(st.ModTime()).Abs() > startingStale {
		return ""
	}
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}
