package lab

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A scanner has the effect of an on-access virus scanner on a program: another
// process first reads each file that the program opens, and spends CPU time on each
// byte, and the open waits for that.
type scanner struct {
	*server
	client *rpc.Client
}

func startScanner() (*scanner, error) {
	s, err := startServer(service{Kind: serveScan}, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, err
	}
	c, err := rpc.Dial("tcp", s.address)
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return &scanner{s, c}, nil
}

// scannedMost is how long the scanner may take to answer. An answer takes some
// milliseconds.
const scannedMost = 10 * time.Second

// ask calls a method of the engine and waits for its answer.
func (s *scanner) ask(method string, arg, answer any) error {
	call := s.client.Go(scanName+"."+method, arg, answer, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		if call.Error != nil {
			return fmt.Errorf("the scanner: %w", call.Error)
		}
		return nil
	case <-time.After(scannedMost):
		return fmt.Errorf("the scanner: no answer within %v", scannedMost)
	}
}

// open opens a file once it has been scanned.
func (s *scanner) open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := s.ask("Scan", path, new(bool)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// close ends the scanner, and checks that it has scanned something.
func (s *scanner) close() error {
	var bytes int64
	err := s.ask("Total", false, &bytes)
	if err == nil && bytes == 0 {
		err = errors.New("the scanner has scanned nothing")
	}
	s.client.Close()
	return errors.Join(err, s.stop())
}

// scanName is the name under which an engine serves.
const scanName = "scanner"

// scan answers by an engine what a scanner asks.
func scan() (func(net.Conn), error) {
	r := rpc.NewServer()
	if err := r.RegisterName(scanName, new(engine)); err != nil {
		return nil, err
	}
	return func(c net.Conn) { r.ServeConn(c) }, nil
}

// An engine is what the process of a scanner does with files.
type engine struct {
	bytes   atomic.Int64
	buffers sync.Pool
}

// passes is how often each byte is hashed: with SHA-256 in hardware some 200 MB/s of one
// CPU, about what scanners reach.
const passes = 8

// Scan reads a file and hashes it. A file that cannot be read is left to the caller.
func (e *engine) Scan(path string, allowed *bool) error {
	*allowed = true
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	buf, _ := e.buffers.Get().(*[]byte)
	if buf == nil {
		b := make([]byte, 64<<10)
		buf = &b
	}
	defer e.buffers.Put(buf)
	for err == nil {
		var n int
		n, err = f.Read(*buf)
		for range passes {
			sha256.Sum256((*buf)[:n])
		}
		e.bytes.Add(int64(n))
	}
	return nil
}

// Total returns how much was scanned up to now.
func (e *engine) Total(_ bool, bytes *int64) error {
	*bytes = e.bytes.Load()
	return nil
}
