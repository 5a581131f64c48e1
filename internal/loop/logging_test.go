package loop_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
)

// talker is a law that decides at each tick.
type talker struct{ n int }

func (t *talker) Next(r control.Reading) control.Decision {
	t.n++
	kind := control.Grow
	if t.n%2 == 0 {
		kind = control.Stay
	}
	return control.Decision{Limit: r.Limit + 1, Reason: control.Reason{Kind: kind, From: r.Limit, To: r.Limit + 1, Gain: 0.5}}
}

// asking is a handler that asks, and sets, the Limiter whose record it handles.
type asking struct {
	slog.Handler
	l *loop.Loop
}

func (a *asking) Handle(ctx context.Context, r slog.Record) error {
	a.l.Stats()
	if n := a.l.Limit(); n > 10 {
		a.l.SetLimit(10)
	}
	return a.Handler.Handle(ctx, r)
}

// Every change is told, in order, and the handler may use the Limiter.
func TestChangesAreLogged(t *testing.T) {
	alone(t)
	synctest.Test(t, func(t *testing.T) {
		var out safeBuffer
		a := &asking{Handler: slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})}
		l := governed(&talker{}, loop.Config{Start: 1, Logger: slog.New(a)})
		a.l = l
		for range 30 {
			if err := l.Do(t.Context(), func(context.Context) error { time.Sleep(10 * time.Millisecond); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		changes := l.Decisions()
		if len(lines) != len(changes) || len(lines) < 10 {
			t.Fatalf("%d records of %d changes", len(lines), len(changes))
		}
		total := int64(0)
		for _, n := range l.Kinds() {
			total += n
		}
		if total != int64(len(changes)) {
			t.Errorf("%v counted, of %d changes", l.Kinds(), len(changes))
		}
		for i, c := range changes {
			level := "level=INFO"
			if c.Reason.Kind == control.Stay {
				level = "level=DEBUG"
			}
			if !strings.Contains(lines[i], level) || !strings.Contains(lines[i], "kind="+c.Reason.Kind.String()) {
				t.Errorf("record %d: %s; want %s, %v", i, lines[i], level, c)
			}
		}
		if !l.Stats().Manual {
			t.Error("a limit set manually does not say so")
		}
		l.Auto()
		if l.Stats().Manual {
			t.Error("a limit handed back says that it is set manually")
		}
	})
}

// handling is a handler made of a function.
type handling struct {
	slog.Handler
	f func()
}

func (h handling) Handle(context.Context, slog.Record) error { h.f(); return nil }

// A handler that panics is heard of once, and the next record comes all the same.
func TestLoggerPanics(t *testing.T) {
	records := 0
	l := loop.New(loop.Config{Start: 1, Logger: slog.New(handling{slog.NewTextHandler(&safeBuffer{}, nil), func() {
		if records++; records == 1 {
			panic("handler")
		}
	}})})
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		l.SetLimit(2)
	}()
	for n := 3; n < 10; n++ {
		l.SetLimit(n)
	}
	if records != 8 {
		t.Errorf("%d records, want 8", records)
	}
}

// While a handler hangs, the limit can be set, and what waits to be told is bounded.
func TestLoggerHangs(t *testing.T) {
	var records atomic.Int32
	hangs, first := make(chan struct{}), make(chan struct{}, 1)
	l := loop.New(loop.Config{Start: 1, Logger: slog.New(handling{slog.NewTextHandler(&safeBuffer{}, nil), func() {
		if records.Add(1) == 1 {
			first <- struct{}{}
			<-hangs
		}
	}})})
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.SetLimit(2)
	}()
	<-first
	for n := range 10_000 {
		l.SetLimit(3 + n%2)
	}
	close(hangs)
	<-done
	if n := records.Load(); n < 2 || n > 257 {
		t.Errorf("%d records, want the first and at most 256", n)
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
