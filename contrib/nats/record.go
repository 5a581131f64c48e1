package natslimit

import "context"

// Record lets a handler leave to Consume what only waits for a server: f is called when
// the handler has returned nil and given its permit back, and before the message is
// acknowledged. So a result is recorded while the next message is handled, and the
// Limiter counts and times the work alone.
//
// ctx must be that of the handler, or one that was made of it, and the call must be over
// when the handler returns; of several calls the last one counts. The ctx of f is the
// handler's, without its permit; after the end of Consume's own ctx it is done, and
// what is to be recorded all the same must not heed it (see [context.WithoutCancel]).
// Where the limit is reached by the number of those that record, the permit is held
// meanwhile. An error of f has its message come again as an error of the handler does,
// so that the work is done again: what f writes should be found by a key. If f panics, or calls
// [runtime.Goexit], that is as if the handler did. Record panics if f is nil, or ctx is
// not that of a handler.
func Record(ctx context.Context, f func(ctx context.Context) error) {
	if f == nil {
		panic("sweetspot: Record(nil): want a function")
	}
	j, ok := ctx.Value(recordKey{}).(*job)
	if !ok {
		panic("sweetspot: Record outside of a handler: want the ctx that Consume gave it")
	}
	j.record = f
}

// recordKey is the context key of the job that a handler does.
type recordKey struct{}
