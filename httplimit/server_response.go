package httplimit

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// A response is the ResponseWriter of an admitted request. It sees the status, and
// gives the permit back. A request that Refuse answers has one, too.
type response struct {
	http.ResponseWriter
	s       *Server         // that admitted the request, if one did
	ctx     context.Context // of that request
	unit    sweetspot.Unit
	status  int32 // 0: no header was written
	late    bool  // when it was, the client had gone
	over    atomic.Bool
	refusal int32 // the status if none is given; 0: admitted, there is a permit
}

// release gives the permit back, once, and offers it to those that are held.
func (w *response) release(o sweetspot.Outcome) {
	if !w.over.Swap(true) && w.refusal == 0 {
		w.unit.End(o, 1)
		w.s.wake()
	}
}

// unheard reports whether the client had gone before an answer began. Many leave in the
// middle of one, such as an endless stream.
func (w *response) unheard() bool {
	return w.late || w.status == 0 && w.ctx.Err() != nil
}

// as returns w with the methods that the ResponseWriter below it has. It also looks for
// Flush and Hijack further down, where an [http.ResponseController] would find them,
// because that must not get past w. A pointer in a struct goes into an interface
// without an allocation. ReadFrom only saves time; all writers of net/http that have
// it, or can hijack, can flush.
func (w *response) as() http.ResponseWriter {
	flushes, hijacks := methods(w.ResponseWriter)
	_, reads := w.ResponseWriter.(io.ReaderFrom)
	switch {
	case hijacks && reads:
		return hijackingReading{hijacking{flushing{w}}}
	case hijacks:
		return hijacking{flushing{w}}
	case flushes && reads:
		return flushingReading{flushing{w}}
	case flushes:
		return flushing{w}
	}
	return w
}

// methods reports whether an [http.ResponseController] of w can flush and hijack.
func methods(w http.ResponseWriter) (flushes, hijacks bool) {
	for {
		switch w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			flushes = true
		}
		if _, ok := w.(http.Hijacker); ok {
			hijacks = true
		}
		below, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if flushes && hijacks || !ok {
			return flushes, hijacks
		}
		w = below.Unwrap()
	}
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
	w.begin()
	return w.ResponseWriter.Write(p)
}

func (w *response) WriteString(s string) (int, error) {
	w.begin()
	return io.WriteString(w.ResponseWriter, s)
}

// begin is called by methods that send the header if none was written.
func (w *response) begin() {
	if w.refusal != 0 && w.status == 0 {
		w.WriteHeader(int(w.refusal))
		return
	}
	w.began(http.StatusOK)
}

// began notes that the header is final.
func (w *response) began(status int) {
	if w.status != 0 {
		return
	}
	w.status = int32(status)
	w.late = w.ctx != nil && w.ctx.Err() != nil
	if status == http.StatusSwitchingProtocols || strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		w.release(sweetspot.Ignored)
	}
}

func (w *response) flush() error {
	w.begin()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *response) hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.release(sweetspot.Ignored)
	}
	return c, rw, err
}

// readFrom begins the answer with the first byte of r, as net/http does: until then the
// handler may choose another status.
func (w *response) readFrom(r io.Reader) (int64, error) {
	var first int64
	if w.status == 0 {
		var err error
		if first, err = io.CopyN(w, r, sniffed); err == io.EOF {
			return first, nil
		} else if err != nil {
			return first, err
		}
	}
	rest, err := w.ResponseWriter.(io.ReaderFrom).ReadFrom(r)
	return first + rest, err
}

// sniffed is how many bytes show the type of a body: net/http looks at its first
// Write.
const sniffed = 512

type (
	flushing         struct{ *response }
	hijacking        struct{ flushing }
	flushingReading  struct{ flushing }
	hijackingReading struct{ hijacking }
)

func (w flushing) Flush()            { w.flush() }
func (w flushing) FlushError() error { return w.flush() }

func (w hijacking) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.hijack() }

func (w flushingReading) ReadFrom(r io.Reader) (int64, error)  { return w.readFrom(r) }
func (w hijackingReading) ReadFrom(r io.Reader) (int64, error) { return w.readFrom(r) }
