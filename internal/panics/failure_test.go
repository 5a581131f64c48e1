package panics_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/panics"
)

// A wrapped is what the tests wrap panics in.
type wrapped struct {
	value any
	stack string
}

func wrap(value any, stack []byte) any {
	if w, ok := value.(*wrapped); ok {
		return w
	}
	return &wrapped{value, string(stack)}
}

// run calls f in another goroutine and returns how it ended.
func run(f func()) (failure panics.Failure) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if !returned {
				failure = panics.Caught(recover(), wrap)
			}
		}()
		f()
		returned = true
	}()
	<-done
	return failure
}

// thrower shows in the stack of a panic.
//
//go:noinline
func thrower(value any) { panic(value) }

func TestResume(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name         string
		f            func()
		failed, exit bool
		value        any
	}{
		{"return", func() {}, false, false, nil},
		{"panic", func() { thrower(boom) }, true, false, boom},
		{"panic(nil)", func() { thrower(nil) }, true, false, nil},
		{"Goexit", runtime.Goexit, true, true, nil},
	} {
		first := run(c.f)
		// A failure that crosses another goroutine stays what it is.
		again := run(first.Resume)
		for _, f := range []panics.Failure{first, again} {
			if f.Failed() != c.failed || f.Exited() != c.exit {
				t.Errorf("%s: failed %t, exited %t, want %t, %t", c.name, f.Failed(), f.Exited(), c.failed, c.exit)
			}
		}
		if !c.failed || c.exit {
			continue
		}
		var got any
		func() {
			defer func() { got = recover() }()
			again.Resume()
		}()
		w, ok := got.(*wrapped)
		if !ok {
			t.Errorf("%s: panics with %v, want it wrapped", c.name, got)
			continue
		}
		if _, isNil := w.value.(*runtime.PanicNilError); w.value != c.value && !isNil {
			t.Errorf("%s: panics with %v, want %v", c.name, w.value, c.value)
		}
		if !strings.Contains(w.stack, "thrower") {
			t.Errorf("%s: the stack does not show where it happened:\n%s", c.name, w.stack)
		}
	}
}

// A panic goes before a Goexit, and the first panic before others.
func TestJoin(t *testing.T) {
	same := func(value any, _ []byte) any { return value }
	exit, first, second := panics.Caught(nil, same), panics.Caught("first", same), panics.Caught("second", same)
	var f panics.Failure
	for _, c := range []struct {
		joined panics.Failure
		want   any
	}{{exit, nil}, {first, "first"}, {exit, "first"}, {second, "first"}} {
		f.Join(c.joined)
		if !f.Failed() || f.Value() != c.want || f.Exited() != (c.want == nil) {
			t.Errorf("joined %v: %v, exited %t; want %v", c.joined, f.Value(), f.Exited(), c.want)
		}
	}
}
