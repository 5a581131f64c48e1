package franzlimit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/sweetspot-go/sweetspot/contrib/internal/adapter"
	"github.com/sweetspot-go/sweetspot/internal/panics"
	"github.com/twmb/franz-go/pkg/kgo"
)

// bufferMost is how many records of a partition may wait before it is paused. They cover
// the time of a fetch, even at a thousandth of a second for each record.
const bufferMost = 1000

// A name is what a partition is found by.
type name struct {
	topic  string
	number int32
}

// A partition handles its records one after the other, for as long as it is assigned. It
// has a goroutine only while it has records.
type partition struct {
	c      *consumption
	client *kgo.Client
	name
	ctx    context.Context // of its handlers
	cancel context.CancelCauseFunc

	mu       sync.Mutex
	waiting  []*kgo.Record
	paused   bool
	ended    chan struct{} // closed when its goroutine ends; nil without one
	handling bool          // a record has its permit
	revoked  bool
	lost     bool // so its offset is another member's
}

// add appends records, and starts the goroutine if there is none.
func (p *partition) add(records []*kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, records...)
	if !p.paused && len(p.waiting) > bufferMost {
		p.paused = true
		p.client.PauseFetchPartitions(p.only())
	}
	if p.ended == nil {
		p.c.start(p)
	}
}

func (p *partition) only() map[string][]int32 { return map[string][]int32{p.topic: {p.number}} }

// run handles records until none waits.
func (p *partition) run() {
	returned := false
	defer func() {
		if !returned {
			p.c.crashed(panics.Caught(recover(), adapter.Wrap))
			p.mu.Lock()
			defer p.mu.Unlock()
			p.rest()
		}
	}()
	for r := p.next(); r != nil; r = p.next() {
		p.end(r, p.c.limiter.Do(p.ctx, func(ctx context.Context) error {
			if !p.begin() {
				return errRevoked
			}
			return p.c.handle(ctx, r)
		}))
	}
	returned = true
}

// errRevoked is the cause that ends what a partition does when it is revoked or lost.
var errRevoked = errors.New("sweetspot: the partition went to another member")

// next returns the next record, or nil if the goroutine is to end.
func (p *partition) next() *kgo.Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 || p.ctx.Err() != nil {
		p.rest()
		return nil
	}
	r := p.waiting[0]
	p.waiting[0] = nil
	p.waiting = p.waiting[1:]
	if len(p.waiting) <= bufferMost/2 {
		p.resume()
	}
	return r
}

func (p *partition) rest() {
	close(p.ended)
	p.ended = nil
}

func (p *partition) resume() {
	if p.paused {
		p.paused = false
		p.client.ResumeFetchPartitions(p.only())
	}
}

// begin reports whether a record that has its permit may be handled.
func (p *partition) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handling = !p.revoked && p.ctx.Err() == nil
	return p.handling
}

// end marks a record as handled, or ends the consumption if it failed by itself.
func (p *partition) end(r *kgo.Record, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handling = false
	switch {
	case err == nil && !p.lost:
		p.client.MarkCommitRecords(r)
	case err != nil && p.ctx.Err() == nil && !p.revoked:
		p.c.fail(fmt.Errorf("sweetspot: topic %q, partition %d, offset %d: %w", r.Topic, r.Partition, r.Offset, err))
	}
}

// revoke drops the records that wait, and lets a running handler finish, unless the
// partition is lost.
func (p *partition) revoke(lost bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked, p.lost, p.waiting = true, lost, nil
	p.resume() // a pause outlives the assignment
	if lost || !p.handling {
		p.cancel(errRevoked)
	}
}

// wait waits for the goroutine to end, and cancels its handler when ctx is done.
func (p *partition) wait(ctx context.Context) {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	if ended != nil {
		stop := context.AfterFunc(ctx, func() { p.cancel(errRevoked) })
		<-ended
		stop()
	}
	p.cancel(errRevoked)
}
