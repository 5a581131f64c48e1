package queue

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"

	"github.com/nats-io/nats-server/v2/server"
)

// Any process of this machine may listen at an address that a server of the home has left. So
// a server proves that it has the home's secret, by TLS with a certificate that follows from it,
// before a client sends anything: a key or job then never reaches another process, and one that
// forwards the connection reads nothing. A challenge of our own would not bind the rest of
// the connection to the proof.

// secure lets a server of ours know its clients, and prove itself to them.
func (h *home) secure(opts *server.Options) error {
	own, err := h.certificate()
	if err == nil {
		err = h.publish(own)
	}
	if err != nil {
		return err
	}
	opts.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}}
	opts.TLS, opts.TLSTimeout = true, dialMost.Seconds()
	opts.Nkeys, err = h.users()
	return err
}

// prove returns c once the server behind it has proved that it serves the home.
func (h *home) prove(c net.Conn) (net.Conn, error) {
	own, err := h.certificate()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialMost)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	info, err := readLine(c)
	if err != nil {
		return nil, err
	}
	secured := tls.Client(c, trust(own.Leaf))
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	return proven{secured, io.MultiReader(bytes.NewReader(info), secured)}, nil
}

// infoMost is the longest first line of a server. One of NATS has some 500 bytes.
const infoMost = 32 << 10

// readLine reads a line and not a byte more: what follows is for TLS.
func readLine(c net.Conn) (line []byte, err error) {
	var b [1]byte
	for len(line) < infoMost {
		if _, err := c.Read(b[:]); err != nil {
			return nil, err
		}
		if line = append(line, b[0]); b[0] == '\n' {
			return line, nil
		}
	}
	return nil, errors.New("its first line does not end")
}

// A proven connection gives its reader what the server said before TLS began.
type proven struct {
	net.Conn
	reader io.Reader
}

func (p proven) Read(b []byte) (int, error) { return p.reader.Read(b) }
