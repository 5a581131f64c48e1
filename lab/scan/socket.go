package scan

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// A question is a path, with its length before it in two bytes; the answer is one
// byte, allowed. A connection has one question at a time.
const allowed = 'y'

// pathMost is the longest path that can be asked for.
const pathMost = 1<<16 - 1

// serveSocket answers questions until end is closed.
func (e *engine) serveSocket(end <-chan struct{}) error {
	l, err := net.Listen("unix", e.Address)
	if err != nil {
		return err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go e.answer(conn)
		}
	}()
	fmt.Println("ready")
	<-end
	l.Close()
	return e.tell()
}

func (e *engine) answer(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		var size [2]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return
		}
		path := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(in, path); err != nil {
			return
		}
		if f, err := os.Open(string(path)); err == nil {
			e.scan(f)
			f.Close()
		}
		if _, err := conn.Write([]byte{allowed}); err != nil {
			return
		}
	}
}

// links are the connections to the scanner process, as many as files were ever
// opened at a time.
type links struct {
	address string
	mu      sync.Mutex
	idle    []*net.UnixConn
	busy    map[*net.UnixConn]struct{}
	closed  bool
}

var errGone = errors.New("scan: the scanner is gone")

// ask returns when the scanner has allowed the file at path.
func (l *links) ask(ctx context.Context, path string, timeout time.Duration) error {
	if len(path) > pathMost {
		return fmt.Errorf("scan: a path of %d bytes: want %d at most", len(path), pathMost)
	}
	conn, err := l.take()
	if err != nil {
		return err
	}
	conn.SetDeadline(time.Now().Add(timeout))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	question := make([]byte, 2, 2+len(path))
	binary.BigEndian.PutUint16(question, uint16(len(path)))
	question = append(question, path...)
	_, err = conn.Write(question)
	if err == nil {
		_, err = io.ReadFull(conn, question[:1])
	}
	undisturbed := stop()
	l.give(conn, err == nil && undisturbed)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("scan: no answer for %s within %v", path, timeout)
	}
	return fmt.Errorf("%w: %w", errGone, err)
}

// take returns a connection that is not in use.
func (l *links) take() (*net.UnixConn, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errGone
	}
	if n := len(l.idle); n > 0 {
		conn := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.busy[conn] = struct{}{}
		l.mu.Unlock()
		return conn, nil
	}
	l.mu.Unlock()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: l.address, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		conn.Close()
		return nil, errGone
	}
	if l.busy == nil {
		l.busy = make(map[*net.UnixConn]struct{})
	}
	l.busy[conn] = struct{}{}
	return conn, nil
}

// give takes a connection back; unless it is sound, nothing more is asked on it.
func (l *links) give(conn *net.UnixConn, sound bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.busy, conn)
	if !sound || l.closed {
		conn.Close()
		return
	}
	l.idle = append(l.idle, conn)
}

// close ends all connections, also those in use.
func (l *links) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, conn := range l.idle {
		conn.Close()
	}
	for conn := range l.busy {
		conn.Close()
	}
	l.idle = nil
}
