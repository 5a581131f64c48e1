package queue

import "context"

// Flushes is [flushes].
type Flushes struct{ flushes }

// Ask is [flushes.ask].
func (f *Flushes) Ask(ctx context.Context, server string, flush func(context.Context) error) error {
	return f.ask(ctx, server, flush)
}
