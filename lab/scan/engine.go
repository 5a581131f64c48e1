package scan

import (
	"crypto/sha256"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// An engine is what a scanner process does with files.
type engine struct {
	order
	files, bytes, late atomic.Int64
	buffers            sync.Pool
}

// scan works through a file. What cannot be read is none of its business.
func (e *engine) scan(in io.Reader) {
	buf, _ := e.buffers.Get().(*[]byte)
	if buf == nil {
		b := make([]byte, 64<<10)
		buf = &b
	}
	defer e.buffers.Put(buf)
	for {
		n, err := in.Read(*buf)
		for range e.Passes {
			sha256.Sum256((*buf)[:n])
		}
		e.bytes.Add(int64(n))
		if err != nil || n == 0 {
			break
		}
	}
	if e.Delay > 0 {
		time.Sleep(e.Delay)
	}
	e.files.Add(1)
}
