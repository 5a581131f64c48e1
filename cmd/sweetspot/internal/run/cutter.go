package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// A cutter cuts a stream into blocks of whole records.
type cutter struct {
	r    io.Reader
	name string // for messages
	size int    // a block is at most so long, unless it is a single record
	// count, if it is not 0, is how many records a block has, however long they
	// are.
	count int
	// A record ends behind end where start follows. Either may be empty; if both
	// are, each byte is a record.
	end, start string
	most       int // no block is longer than this either

	buf   []byte
	at    int   // buf[at:] belongs to no block yet
	done  int64 // bytes in the blocks so far
	ended bool  // everything has been read
}

// next returns the next block, which is valid until the next call, and io.EOF
// when there is none. The last record needs no separator.
func (c *cutter) next() ([]byte, error) {
	var s search
	for {
		rest := c.buf[c.at:]
		n := 0
		switch {
		case c.count > 0:
			n = c.records(rest, &s)
		case len(rest) > c.size+len(c.start) || c.ended && len(rest) > c.size:
			n = c.fitting(rest, &s)
		}
		if n == 0 && c.ended {
			n = len(rest)
		}
		switch {
		case n > 0:
			c.at += n
			c.done += int64(n)
			return rest[:n], nil
		case c.ended:
			return nil, io.EOF
		case len(rest) > c.most:
			return nil, fmt.Errorf("%s: no block ends within %d MiB after byte %d: want records that end as --recend and --recstart say, fewer by -N, or a larger --block", c.name, c.most>>20, c.done)
		}
		if err := c.read(); err != nil {
			return nil, err
		}
	}
}

// A search for the end of a block goes on where it was when more has been read.
type search struct {
	records int // whole ones found
	begin   int // where the record after them begins
	from    int // where its end is looked for next
}

// records returns the end of the block's last record, or 0 if it has not been
// read yet.
func (c *cutter) records(rest []byte, s *search) int {
	for s.records < c.count {
		end := c.first(rest, s)
		if end == 0 {
			return 0
		}
		*s = search{s.records + 1, end, end}
	}
	return s.begin
}

// fitting returns the end of the last record that fits, or that of the first one
// if it is longer than a block.
func (c *cutter) fitting(rest []byte, s *search) int {
	if c.end == "" && c.start == "" {
		return c.size
	}
	if s.from == 0 {
		fits := rest[:min(len(rest), c.size+len(c.start))]
		if i := bytes.LastIndex(fits, []byte(c.end+c.start)); i+len(c.end) > 0 && i >= 0 {
			return i + len(c.end)
		}
		s.from = max(c.size+1-len(c.end), 0)
	}
	return c.first(rest, s)
}

// first returns the end of the record that begins at s.begin, and 0 if it has
// not been read yet.
func (c *cutter) first(rest []byte, s *search) int {
	if c.end == "" {
		s.from = max(s.from, s.begin+1) // no record is empty
	}
	if s.from > len(rest) {
		return 0
	}
	i := bytes.Index(rest[s.from:], []byte(c.end+c.start))
	if end := s.from + i + len(c.end); i >= 0 && end <= len(rest) {
		return end
	}
	s.from = max(s.from, len(rest)+1-len(c.end)-len(c.start))
	return 0
}

// read reads more, into the place of the blocks that are done before it takes more memory.
func (c *cutter) read() error {
	const least = chunkSize / 2
	if c.at > 0 && cap(c.buf)-len(c.buf) < least {
		c.buf, c.at = c.buf[:copy(c.buf, c.buf[c.at:])], 0
	}
	if cap(c.buf)-len(c.buf) < least {
		c.buf = append(make([]byte, 0, 2*cap(c.buf)+chunkSize), c.buf...)
	}
	n, err := c.r.Read(c.buf[len(c.buf):cap(c.buf)])
	c.buf = c.buf[:len(c.buf)+n]
	c.ended = errors.Is(err, io.EOF)
	if err != nil && !c.ended {
		return unreadable(c.name, err)
	}
	return nil
}
