package sweetspot

import (
	"context"
	"log/slog"
	"math"

	"github.com/sweetspot-go/sweetspot/control"
)

// WithLogger writes each [Change] to logger, as one record: what moves the limit,
// or takes back what was known, at level Info; what is tried and what only stays
// at level Debug. The attributes are limiter (the name, if there is one), from,
// to, kind (as [control.Kind] prints it), gain (if one was measured) and why, in
// words.
//
// The records of a Limiter come in order, from the goroutine of a measurement or of
// [Limiter.SetLimit]. A handler that takes long delays neither the work nor the
// measuring; of what is decided meanwhile the newest 256 changes are kept. It panics
// if logger is nil.
func WithLogger(logger *slog.Logger) LimiterOption {
	if logger == nil {
		panic("sweetspot: WithLogger(nil): want a logger, such as slog.Default()")
	}
	return limiterOption(func(l *Limiter) { l.logger = logger })
}

// tell logs what is untold. It is called with nothing held, since the handler is
// not ours and may ask the Limiter. Who finds somebody else telling leaves it to
// them, who look once more at the end.
func (g *governor) tell() {
	if g.l.logger == nil {
		return
	}
	for g.unsaid() && g.telling.TryLock() {
		g.tellAll()
	}
}

// tellAll logs what there is. It holds telling, and gives it back also where the
// handler panics.
func (g *governor) tellAll() {
	defer g.telling.Unlock()
	g.mu.Lock()
	list := g.untold
	g.untold = nil
	g.mu.Unlock()
	for _, c := range list {
		g.l.log(c)
	}
}

func (g *governor) unsaid() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.untold) > 0
}

func (l *Limiter) log(c Change) {
	level := slog.LevelInfo
	switch c.Reason.Kind {
	case control.Start, control.Probe, control.Stay:
		level = slog.LevelDebug
	}
	ctx := context.Background()
	if !l.logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 6)
	if l.name != "" {
		attrs = append(attrs, slog.String("limiter", l.name))
	}
	attrs = append(attrs, slog.Int("from", c.From), slog.Int("to", c.To), slog.String("kind", c.Reason.Kind.String()))
	if !math.IsNaN(c.Reason.Gain) {
		attrs = append(attrs, slog.Float64("gain", c.Reason.Gain))
	}
	attrs = append(attrs, slog.String("why", c.Reason.String()))
	l.logger.LogAttrs(ctx, level, "sweetspot: limit decided", attrs...)
}
