package loop

import (
	"context"
	"log/slog"
	"math"
	"sync"

	"github.com/sweetspot-go/sweetspot/control"
)

type records struct {
	logger *slog.Logger // nil: there are none
	name   string       // of the loop, or ""

	mu      sync.Mutex
	pending []Decision
	writing sync.Mutex // held while the handler runs; never with mu
}

func (r *records) add(d Decision) {
	if r.logger == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) == decisionsKept { // the handler hangs
		r.pending = r.pending[1:]
	}
	r.pending = append(r.pending, d)
}

// flush writes what is pending. It is called with nothing held, since the handler is
// not ours and may ask the Loop. If another goroutine is writing, that one looks once
// more at the end.
func (r *records) flush() {
	if r.logger == nil {
		return
	}
	for r.any() && r.writing.TryLock() {
		r.writeAll()
	}
}

func (r *records) any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) > 0
}

// writeAll holds writing, and gives it back also where the handler panics.
func (r *records) writeAll() {
	defer r.writing.Unlock()
	r.mu.Lock()
	list := r.pending
	r.pending = nil
	r.mu.Unlock()
	for _, d := range list {
		r.write(d)
	}
}

func (r *records) write(d Decision) {
	level := slog.LevelInfo
	switch d.Reason.Kind {
	case control.Start, control.Probe, control.Stay:
		level = slog.LevelDebug
	}
	ctx := context.Background()
	if !r.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 6)
	if r.name != "" {
		attrs = append(attrs, slog.String("limiter", r.name))
	}
	attrs = append(attrs, slog.Int("from", d.From), slog.Int("to", d.To), slog.String("kind", d.Reason.Kind.String()))
	if !math.IsNaN(d.Reason.Gain) {
		attrs = append(attrs, slog.Float64("gain", d.Reason.Gain))
	}
	attrs = append(attrs, slog.String("why", d.Reason.String()))
	r.logger.LogAttrs(ctx, level, "sweetspot: limit decided", attrs...)
}
