package httplimit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// A response is the ResponseWriter of an admitted request. It sees the status, and
// gives the permit back.
type response struct {
	http.ResponseWriter
	unit   sweetspot.Unit
	status int // 0: no header was written
	over   atomic.Bool
}

// release gives the permit back, once.
func (w *response) release(o sweetspot.Outcome) {
	if !w.over.Swap(true) {
		w.unit.End(o, 1)
	}
}

// as returns w with the methods that the ResponseWriter below it has. A pointer in a
// struct goes into an interface without an allocation.
func (w *response) as() http.ResponseWriter {
	_, flushes := w.ResponseWriter.(http.Flusher)
	if !flushes {
		return w
	}
	if _, ok := w.ResponseWriter.(http.Pusher); ok {
		return pushing{flushing{w}}
	}
	if _, ok := w.ResponseWriter.(http.Hijacker); ok {
		if _, ok := w.ResponseWriter.(io.ReaderFrom); ok {
			return reading{hijacking{flushing{w}}}
		}
		return hijacking{flushing{w}}
	}
	return flushing{w}
}

// Unwrap is for an http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if status >= 200 || status == http.StatusSwitchingProtocols {
		w.began(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	w.began(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

func (w *response) WriteString(s string) (int, error) {
	w.began(http.StatusOK)
	return io.WriteString(w.ResponseWriter, s)
}

// began notes that the header is final.
func (w *response) began(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if status == http.StatusSwitchingProtocols || strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		w.release(sweetspot.Ignored)
	}
}

type flushing struct{ *response }

func (w flushing) Flush() {
	w.began(http.StatusOK)
	w.ResponseWriter.(http.Flusher).Flush()
}

type pushing struct{ flushing }

func (w pushing) Push(target string, o *http.PushOptions) error {
	return w.ResponseWriter.(http.Pusher).Push(target, o)
}

type hijacking struct{ flushing }

func (w hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := w.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		w.release(sweetspot.Ignored)
	}
	return c, rw, err
}

type reading struct{ hijacking }

func (w reading) ReadFrom(r io.Reader) (int64, error) {
	w.began(http.StatusOK)
	return w.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
}
