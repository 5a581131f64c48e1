package sweetspot

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/internal/call"
)

// An Option sets up any parallel call: [Fixed], or a [*Limiter].
//
// Without options a call finds by itself how many goroutines to use and how many items
// to hand out at a time. An option that has no meaning for a call does not compile:
// each call says which it takes. An Option is also a [ChunkOption], which is also a
// [MapOption], which is also a [MapSeqOption] and a [WalkOption].
type Option interface {
	ChunkOption
	ofEvery()
}

// A ChunkOption sets up a call that hands out items in chunks, such as [Workers]: an
// [Option], or [MinChunk].
type ChunkOption interface {
	MapOption
	ofChunks()
}

// A MapOption sets up a call that calls a function with each item, such as [Map]: a
// [ChunkOption], [AllErrors], or [WeightOf].
type MapOption interface {
	MapSeqOption
	WalkOption
	ofMap()
}

// A MapSeqOption sets up [MapSeq]: a [MapOption], or [Unordered].
type MapSeqOption interface {
	call(*settings)
	ofMapSeq()
}

// A WalkOption sets up [Walk]: a [MapOption], or [SizeHint].
type WalkOption interface {
	call(*settings)
	ofWalk()
}

// What options embed to be of a family, and of those that it is part of.
type (
	everyOption struct{ chunkOption }
	chunkOption struct{ mapOption }
	mapOption   struct {
		mapSeqOption
		walkOption
	}
	mapSeqOption struct{}
	walkOption   struct{}
)

func (everyOption) ofEvery()   {}
func (chunkOption) ofChunks()  {}
func (mapOption) ofMap()       {}
func (mapSeqOption) ofMapSeq() {}
func (walkOption) ofWalk()     {}

type settings struct {
	call.Config
	size      int // expected number of keys of a Walk
	weight    any // function from an item to its weight, or nil
	allErrors bool
	unordered bool
}

// defaults are the settings of calls without options. Nobody changes them.
var defaults = settings{Config: call.Config{Wrap: wrapPanic}}

// settingsOf returns what opts say. It panics, naming the call, if one of them
// is nil or they contradict each other.
func settingsOf[O interface{ call(*settings) }](call string, opts []O) *settings {
	if len(opts) == 0 {
		return &defaults
	}
	s := defaults
	for i, o := range opts {
		l, ok := any(o).(*Limiter)
		switch {
		case any(o) == nil || ok && l == nil:
			panic(fmt.Sprintf("sweetspot: %s: option %d of %d is nil", call, i+1, len(opts)))
		case ok && s.Limiter != nil && s.Limiter != &l.loop:
			panic(fmt.Sprintf("sweetspot: %s: two Limiters: want one, and Do of the other in the function", call))
		}
		o.call(&s)
	}
	if s.Limiter != nil && s.Fixed > 0 {
		panic(fmt.Sprintf("sweetspot: %s: both Fixed(%d) and a Limiter: want one of them", call, s.Fixed))
	}
	return &s
}

// Fixed allows n callbacks at a time. The call still starts goroutines only where there
// is work that pays for them, and Fixed(1) runs everything in the goroutine of the
// caller, or in one worker of a [Pool]. It panics unless n is between 1 and
// [limit.MaxLimit].
func Fixed(n int) Option {
	within("Fixed", n)
	return fixed{n: n}
}

type fixed struct {
	everyOption
	n int
}

func (f fixed) call(s *settings) { s.Fixed = f.n }

// A Limiter as an option makes the call run under that Limiter: each goroutine of the
// call holds one of its permits while it works, the caller included. The exception is
// the caller of a [Join], which has no context to carry the permit. Give one Limiter to
// all calls that share a bottleneck. A call panics if it is given two.
func (l *Limiter) call(s *settings) { s.Limiter = &l.loop }

// MinChunk sets the least number of items that are handed out at a time. Calls measure
// the items and choose chunks by themselves. A least number helps only if that many
// items are cheaper together. Where several goroutines share the items, what is left of the share of one
// may be fewer. [ForEachSeq] and [MapSeq] do not wait until the sequence has yielded that
// many. It panics if n < 1.
func MinChunk(n int) ChunkOption {
	atLeast(1, "MinChunk", n)
	return minChunk{n: n}
}

type minChunk struct {
	chunkOption
	n int
}

func (m minChunk) call(s *settings) { s.MinChunk = m.n }

// AllErrors makes a call go on after an error and return all errors, joined by
// [errors.Join] in the order of the items, each an [*ItemError]. [Walk] returns them as
// [*KeyError] in no order, and [MapSeq] yields them.
func AllErrors() MapOption { return allErrors{} }

type allErrors struct{ mapOption }

func (allErrors) call(s *settings) { s.allErrors = true }

// Unordered makes [MapSeq] yield results as they are ready instead of in the order of
// the values.
func Unordered() MapSeqOption { return unordered{} }

type unordered struct{ mapSeqOption }

func (unordered) call(s *settings) { s.unordered = true }

// SizeHint tells [Walk] roughly how many distinct keys to expect, so that its set of
// visited keys need not grow. A wrong number costs only memory or time. It panics if n
// < 0.
func SizeHint(n int) WalkOption {
	atLeast(0, "SizeHint", n)
	return sizeHint{n: n}
}

type sizeHint struct {
	walkOption
	n int
}

func (h sizeHint) call(s *settings) { s.size = h.n }
