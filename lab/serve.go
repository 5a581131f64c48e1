package lab

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"

	"github.com/sweetspot-go/sweetspot"
)

// A service tells a child process what to serve. A request is a key, and its reply
// the next number and the digest of the key, except with a scanner.
type service struct {
	Kind string `json:"kind"`
	// A numbering gives First, First+Step and so on.
	First int64 `json:"first"`
	Step  int64 `json:"step"`

	Backends []string `json:"backends"` // of a balancer
}

const (
	// serveChannel takes the number from one goroutine through a channel.
	serveChannel = "channel"
	// serveAtomic takes the number from an atomic counter, and works under a permit
	// of a Limiter.
	serveAtomic = "atomic"
	// serveNeighbour serves no client: it keeps a CPU busy meanwhile.
	serveNeighbour = "neighbour"
	// serveBalancer passes each connection on to the next backend in turn.
	serveBalancer = "balancer"
	// serveScan has files scanned, whose names are its requests.
	serveScan = "scan"
)

const (
	requestSize = 8
	replySize   = 16
	// digestRounds make some microseconds of work, as a small request has.
	digestRounds = 1000
)

// digest is the work of a request.
func digest(key uint64) uint64 {
	for range digestRounds {
		key = scatter(key)
	}
	return key
}

// Serve is what an experiment starts for each of its servers: text is a service, as
// JSON. It prints the address that it listens on, and serves until in ends, as
// standard input does when the process that started it has ended in any way.
func Serve(text string, in io.Reader, out io.Writer) error {
	var s service
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("the service is not readable: %w", err)
	}
	var sessions sync.WaitGroup
	defer sessions.Wait()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	handle, err := s.handler(ctx.Done())
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	go func() {
		io.Copy(io.Discard, in)
		end()
	}()
	if _, err := fmt.Fprintln(out, l.Addr()); err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil
		default:
			return err
		}
		sessions.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			handle(c)
		})
	}
}

// handler returns what serves a connection until it ends.
func (s *service) handler(done <-chan struct{}) (func(net.Conn), error) {
	switch s.Kind {
	case serveChannel:
		return s.byChannel(done), nil
	case serveAtomic:
		return s.byLimiter(), nil
	case serveBalancer:
		if len(s.Backends) == 0 {
			return nil, errors.New("the balancer has no backends")
		}
		return s.balance(), nil
	case serveNeighbour:
		return keepBusy(done), nil
	case serveScan:
		return scan()
	}
	return nil, fmt.Errorf("the kind of service is %q, want %s, %s, %s, %s or %s", s.Kind, serveChannel, serveAtomic, serveBalancer, serveNeighbour, serveScan)
}

func (s *service) byChannel(done <-chan struct{}) func(net.Conn) {
	numbers := make(chan int64)
	go func() {
		for n := s.First; ; n += s.Step {
			select {
			//sweetspot:ignore chanitem it is the article's, to be measured
			case numbers <- n:
			case <-done:
				return
			}
		}
	}()
	return func(c net.Conn) {
		answer(c, func(key uint64) (number int64, sum uint64, ok bool) {
			select {
			case number = <-numbers:
				return number, digest(key), true
			case <-done:
				return 0, 0, false
			}
		})
	}
}

func (s *service) byLimiter() func(net.Conn) {
	l := sweetspot.New()
	var last atomic.Int64
	last.Store(s.First - s.Step)
	return func(c net.Conn) {
		answer(c, func(key uint64) (number int64, sum uint64, ok bool) {
			if l.Acquire(context.Background()) != nil {
				return 0, 0, false
			}
			defer l.Release()
			return last.Add(s.Step), digest(key), true
		})
	}
}

func answer(c net.Conn, work func(key uint64) (number int64, sum uint64, ok bool)) {
	var request [requestSize]byte
	var reply [replySize]byte
	for {
		if _, err := io.ReadFull(c, request[:]); err != nil {
			return
		}
		number, sum, ok := work(binary.BigEndian.Uint64(request[:]))
		if !ok {
			return
		}
		binary.BigEndian.PutUint64(reply[:], uint64(number))
		binary.BigEndian.PutUint64(reply[8:], sum)
		if _, err := c.Write(reply[:]); err != nil {
			return
		}
	}
}

func (s *service) balance() func(net.Conn) {
	var last atomic.Int64
	return func(c net.Conn) {
		b, err := net.Dial("tcp", s.Backends[int(last.Add(1))%len(s.Backends)])
		if err != nil {
			return
		}
		defer b.Close()
		var replies sync.WaitGroup
		replies.Go(func() {
			io.Copy(c, b)
			c.Close() // the backend has ended, so no request can be answered any more
		})
		io.Copy(b, c)
		b.Close()
		replies.Wait()
	}
}

// readAddress reads what serve prints first.
func readAddress(out io.Reader) (string, error) {
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the server has not said where it listens: %w", err)
	}
	return line[:len(line)-1], nil
}

// keepBusy computes until done, and refuses connections.
func keepBusy(done <-chan struct{}) func(net.Conn) {
	go func() {
		for key := uint64(1); ; key = digest(key) {
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	return func(net.Conn) {}
}

// withNeighbour runs f while another process keeps a CPU busy.
func withNeighbour(f func() error) error {
	s, err := startServer(service{Kind: serveNeighbour}, 1)
	if err != nil {
		return err
	}
	return errors.Join(f(), s.stop())
}
