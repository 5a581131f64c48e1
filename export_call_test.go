package sweetspot

import (
	"context"
	"time"
)

// A Span is a span, with its methods in the open.
type Span = span

func (s *span) Set(lo, hi uint32)                       { s.set(lo, hi) }
func (s *span) Bounds() (lo, hi uint32)                 { return s.bounds() }
func (s *span) Claim(k uint32) (lo, hi uint32, ok bool) { return s.claim(k) }
func (s *span) Split(all bool) (lo, hi uint32, ok bool) { return s.split(all) }
func (p *Pace) See(n int, ns float64)                   { (*pace)(p).see(n, time.Duration(ns)) }
func (p *Pace) Next(most int) int                       { return (*pace)(p).next(most) }
func NewCallContext(ctx context.Context) *CallContext   { return &CallContext{callContext{Context: ctx}} }
func (c *CallContext) Cancel(cause error)               { c.cancel(cause) }
func (c *CallContext) End()                             { c.end() }
func Remember(key uintptr, cost float64, limit int) {
	r := recall{key: key, cost: cost, limit: limit}
	r.keep()
}

// Forget forgets all functions.
func Forget() {
	for i := range memories {
		memories[i].key.Store(0)
	}
}

// Learn takes note of a call, and reports whether the function is steady then.
func Learn(key uintptr, cost float64, limit int) (steady bool) {
	var r recall
	r.load(key)
	r.learn(cost)
	r.limit = limit
	r.keep()
	r = recall{}
	r.load(key)
	return r.steady
}

// LearnBrief takes note of a call that began at the limit remembered and was over
// before its law had decided anything: its items, what each took and cost, and whether
// the CPUs were full. It returns the limit of the next call.
func LearnBrief(key uintptr, items int, took, cost float64, full bool) int {
	var r recall
	r.load(key)
	r.brief, r.full, r.items, r.each = true, full, int64(items), took
	r.learn(cost)
	r.keep()
	r = recall{}
	r.load(key)
	return r.limit
}

func Recall(key uintptr) (cost float64, limit int) {
	r := recall{}
	r.load(key)
	return r.cost, r.limit
}

// A Pace is a pace, with its methods in the open.
type Pace pace

// A CallContext is the context of the callbacks of one call.
type CallContext struct{ callContext }

// The constants that decide on chunks.
const (
	ChunkTime = chunkTime
	ChunkMost = chunkMost
	FirstLook = firstLook
)
