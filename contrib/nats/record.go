package natslimit

import "context"

// Record lets a handler leave work that only waits for a server to Consume. f is called
// after the handler has returned nil and its permit was given back, and before the
// message is acknowledged. So a result is recorded while the next message is handled,
// and the Limiter counts and times only the work.
//
// ctx must be that of the handler, or derived from it, and the call must be over when
// the handler returns; of several calls the last one counts. The ctx of f is the
// handler's, without its permit. After the end of Consume's own ctx it is done; use
// [context.WithoutCancel] for what must be recorded all the same. If as many handlers
// record as the limit allows, the permit is held meanwhile.
//
// If f returns an error, the message comes again, as after an error of the handler, and
// the work is done again. So write results by a key. If f panics, or calls
// [runtime.Goexit], that is as if the handler did. Record panics if f is nil, or ctx is
// not that of a handler.
func Record(ctx context.Context, f func(ctx context.Context) error) {
	if f == nil {
		panic("sweetspot: Record(nil): want a function")
	}
	j, ok := ctx.Value(recordKey{}).(*job)
	if !ok || j.handled {
		panic("sweetspot: Record outside of a handler: want the ctx that Consume gave it")
	}
	j.record = f
}

// recordKey is the context key of the job that a handler does.
type recordKey struct{}
