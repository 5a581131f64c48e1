package sweetspot

import "fmt"

// An Option sets up one call, such as [Map]: [Fixed], [Grain], [JoinErrors],
// [Unordered], [SizeHint], or a [*Limiter].
//
// Without any, a call finds by itself how many goroutines to use and how many
// items to hand out at a time. An option that has no meaning for a call has no
// effect on it.
type Option interface{ call(*settings) }

// settings are the options of one call.
type settings struct {
	fixed      int      // goroutines, 0 if they are found by measuring
	limiter    *Limiter // shared, or nil
	grain      int      // least number of items to claim at a time, 0 if none was given
	size       int      // expected number of keys of a Walk
	joinErrors bool
	unordered  bool
}

// settingsOf returns what opts say. It panics, naming the call, if one of them
// is nil or they contradict each other.
func settingsOf(call string, opts []Option) (s settings) {
	for i, o := range opts {
		if l, ok := o.(*Limiter); o == nil || ok && l == nil {
			panic(fmt.Sprintf("sweetspot: %s: option %d of %d is nil", call, i+1, len(opts)))
		}
		o.call(&s)
	}
	if s.limiter != nil && s.fixed > 0 {
		panic(fmt.Sprintf("sweetspot: %s: both Fixed(%d) and a Limiter: want one of them", call, s.fixed))
	}
	return s
}

func (f FixedLimit) call(s *settings) { s.fixed = f.n }

// A Limiter as an option makes the call run under that Limiter: each goroutine
// of the call holds one of its permits while it works, the caller included (but
// that of a [Join], which has no context to carry the permit). Give one Limiter
// to all calls that share a bottleneck.
func (l *Limiter) call(s *settings) { s.limiter = l }

type callOption func(*settings)

func (o callOption) call(s *settings) { o(s) }

// Grain sets the least number of items that are handed out at a time. Calls
// measure the items and choose by themselves; a grain helps only where that many
// items belong together, such as the rows of a block. [ForEachSeq] and [MapSeq] do
// not wait until the sequence has yielded that many. It panics if n < 1.
func Grain(n int) Option {
	if n < 1 {
		panic(fmt.Sprintf("sweetspot: Grain(%d): want 1 or more", n))
	}
	return callOption(func(s *settings) { s.grain = n })
}

// JoinErrors makes a call go on after an error and return all errors, joined by
// [errors.Join] in the order of the items, each an [*ItemError].
func JoinErrors() Option { return callOption(func(s *settings) { s.joinErrors = true }) }

// Unordered makes [MapSeq] give results as they come instead of in the order of
// the values.
func Unordered() Option { return callOption(func(s *settings) { s.unordered = true }) }

// SizeHint tells [Walk] about how many distinct keys to expect, so that its set
// of visited keys need not grow. A wrong number costs memory or time, nothing
// else. It panics if n < 0.
func SizeHint(n int) Option {
	if n < 0 {
		panic(fmt.Sprintf("sweetspot: SizeHint(%d): want 0 or more", n))
	}
	return callOption(func(s *settings) { s.size = n })
}
