package lab

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

const (
	// callerCount is how many connections are kept open: many for each server, so
	// that the kernel's choice among processes comes out about even.
	callerCount = 64
	// answersMost bounds a run, so that a server that hangs is an error. It is far
	// beyond what the runs of the article's size take.
	answersMost = 4 * time.Minute
	keyCount    = 256
)

// callers ask a server over connections that stay open, each again as soon as it
// has its reply.
type callers struct {
	conns   []net.Conn
	digests [keyCount]uint64 // what replies must hold
	got     [][]int64        // numbers of the last run, by connection
	took    [][]time.Duration
	due     map[int64]int64 // by numbering: its next number
	step    int64
}

func dial(address string, step int64) (*callers, error) {
	c := &callers{got: make([][]int64, callerCount), took: make([][]time.Duration, callerCount), due: map[int64]int64{}, step: step}
	for key := range c.digests {
		c.digests[key] = digest(uint64(key))
	}
	for i := range step {
		c.due[i] = i + 1
	}
	for range callerCount {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, errors.Join(err, c.close())
		}
		c.conns = append(c.conns, conn)
	}
	return c, nil
}

func (c *callers) close() error {
	return errors.Join(each(c.conns, net.Conn.Close)...)
}

// meet makes a request on each connection. A dialled one is only known to the
// kernel: by its reply the server has taken it, and a balancer has dialled on.
func (c *callers) meet() error {
	if err := c.ask(len(c.conns)); err != nil {
		return err
	}
	return c.check()
}

func (c *callers) ask(n int) error {
	errs := make([]error, len(c.conns))
	goroutines(len(c.conns), func(k int) { errs[k] = c.askOne(k, shareOf(k, len(c.conns), n)) })
	return errors.Join(errs...)
}

func (c *callers) askOne(k, share int) error {
	conn := c.conns[k]
	if err := conn.SetDeadline(time.Now().Add(answersMost)); err != nil {
		return err
	}
	got, took := c.got[k][:0], c.took[k][:0]
	var request [requestSize]byte
	var reply [replySize]byte
	for i := range share {
		key := (k + i) % keyCount
		binary.BigEndian.PutUint64(request[:], uint64(key))
		began := time.Now()
		if _, err := conn.Write(request[:]); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, reply[:]); err != nil {
			return fmt.Errorf("no reply: %w", err)
		}
		took = append(took, time.Since(began))
		got = append(got, int64(binary.BigEndian.Uint64(reply[:])))
		if sum := binary.BigEndian.Uint64(reply[8:]); sum != c.digests[key] {
			return fmt.Errorf("the digest of %d is %#x, want %#x", key, sum, c.digests[key])
		}
	}
	c.got[k], c.took[k] = got, took
	return nil
}

// check reports whether each numbering has given its numbers without a gap or a
// repetition, and each connection got its own in order.
func (c *callers) check() error {
	for k, got := range c.got {
		if !slices.IsSorted(got) {
			return fmt.Errorf("connection %d has got numbers out of order", k)
		}
	}
	all := slices.Concat(c.got...)
	slices.Sort(all)
	for _, number := range all {
		of := max(number-1, 0) % c.step
		if number != c.due[of] {
			return fmt.Errorf("a reply has the number %d, want %d", number, c.due[of])
		}
		c.due[of] += c.step
	}
	return nil
}

// slowest returns the 99th percentile of what the replies of the last run took.
func (c *callers) slowest() time.Duration { return quantileOf(slices.Concat(c.took...), 0.99) }
