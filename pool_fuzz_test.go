package sweetspot_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

// What a value of FuzzPool does when it is worked on.
const (
	poolWaits = iota // for as many milliseconds as the rest of its byte says
	poolLeaves
	poolErrs
	poolPanics
	poolExits
)

func poolDeed(b byte) (deed int, wait time.Duration) {
	wait = time.Duration(b%16) * time.Millisecond
	switch {
	case b >= 252:
		return poolErrs + int(b-252)%3, wait
	case b >= 230:
		return poolLeaves, wait
	}
	return poolWaits, wait
}

// FuzzPool: whatever values do, however the limit moves and whoever gives up, a
// value is done once if it was taken and nothing failed, and at most once
// otherwise; never more are in flight than the largest limit allows; and nothing
// runs after Close, which tells what happened.
func FuzzPool(f *testing.F) {
	f.Add(uint8(0), []byte("some values, one after the other"), []byte{})
	f.Add(uint8(1), []byte{1, 240, 2, 255, 3, 4}, []byte{})
	f.Add(uint8(2), []byte{15, 15, 15, 15, 15, 15, 15, 15, 231, 7, 7, 7}, []byte{3, 1, 4, 2})
	f.Add(uint8(7), []byte{9, 9, 9, 252, 253, 254, 255, 0, 0, 0, 0, 0}, []byte{1, 5})
	f.Add(uint8(64), []byte{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}, []byte{1})
	f.Fuzz(func(t *testing.T, mode uint8, values, limits []byte) {
		if len(values) > 300 || len(limits) > 20 {
			t.Skip("larger ones show nothing more")
		}
		synctest.Test(t, func(t *testing.T) { fuzzPool(t, mode, values, limits) })
	})
}

func fuzzPool(t *testing.T, mode uint8, values, limits []byte) {
	var opts []sweetspot.ChunkOption
	var l *sweetspot.Limiter
	most := 0
	switch mode % 3 {
	case 1:
		most = 1 + int(mode/3%4)
		opts = append(opts, sweetspot.Fixed(most))
	case 2:
		most = 2
		l = setTo(sweetspot.New(), most)
		for _, b := range limits {
			most = max(most, 1+int(b%6))
		}
		opts = append(opts, l)
	}
	producers := 1 + int(mode/16%3)
	cancelled := mode >= 192

	var g gauge
	var failed, exited, panicked atomic.Bool
	visits, taken := make(once, len(values)), make(once, len(values))
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	errOver := errors.New("over")
	p := sweetspot.NewPool(ctx, func(_ context.Context, tasks iter.Seq[int]) error {
		for i := range tasks {
			deed, wait := poolDeed(values[i])
			g.enter()
			visits[i].Add(1)
			time.Sleep(wait)
			g.leave()
			switch deed {
			case poolLeaves:
				return nil
			case poolErrs:
				failed.Store(true)
				return fmt.Errorf("value %d: %w", i, errBad)
			case poolPanics:
				failed.Store(true)
				panicked.Store(true)
				panic(errBad)
			case poolExits:
				failed.Store(true)
				exited.Store(true)
				runtime.Goexit()
			}
		}
		return nil
	}, opts...)

	var wg sync.WaitGroup
	for k := range producers {
		wg.Go(func() {
			for i := k; i < len(values); i += producers {
				patience := t.Context()
				if values[i]%32 == 3 {
					short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
					defer cancel()
					patience = short
				}
				if values[i]%32 == 5 {
					if p.TrySubmit(i) {
						taken[i].Add(1)
					}
					continue
				}
				switch err := p.Submit(patience, i); {
				case err == nil:
					taken[i].Add(1)
				case errors.Is(err, context.DeadlineExceeded) && patience != t.Context():
				case failed.Load() && errors.Is(err, sweetspot.ErrClosed):
				case cancelled && errors.Is(err, errOver):
				default:
					t.Errorf("Submit: %v", err)
				}
			}
		})
	}
	if l != nil {
		wg.Go(func() {
			for _, b := range limits {
				l.SetLimit(1 + int(b%6))
				time.Sleep(time.Duration(b/6) * time.Millisecond)
			}
		})
	}
	if cancelled {
		time.AfterFunc(time.Duration(mode%64)*time.Millisecond, func() { cancel(errOver) })
	}
	wg.Wait()

	var err error
	var value any
	returned, closed := false, make(chan struct{})
	go func() { // Close may end its goroutine
		defer close(closed)
		value = refuse(func() {
			err = p.Close()
			returned = true
		})
	}()
	<-closed
	if n := g.now.Load(); n != 0 {
		t.Errorf("%d in flight after Close", n)
	}
	if n := g.most.Load(); most > 0 && int(n) > most {
		t.Errorf("%d in flight, want %d at most", n, most)
	}
	for i := range values {
		did, took := visits[i].Load(), taken[i].Load()
		if did > took || did < took && !failed.Load() && !cancelled {
			t.Errorf("value %d was taken %d times and done %d times", i, took, did)
		}
	}
	switch {
	case value != nil:
		if e, ok := value.(*sweetspot.PanicError); !ok || e.Value != errBad || !panicked.Load() {
			t.Errorf("Close panics with %v", value)
		}
	case !returned:
		if !exited.Load() {
			t.Error("Close ended its goroutine")
		}
	case err == nil:
		if failed.Load() && !cancelled {
			t.Error("Close returned nil after a failure")
		}
	case errors.Is(err, errOver) && cancelled:
	case errors.Is(err, errBad) && failed.Load():
	default:
		t.Errorf("Close: %v", err)
	}
	if p.Submit(t.Context(), 0) == nil {
		t.Error("a closed pool took a value")
	}
	if l != nil {
		isFree(t, l)
	}
}
