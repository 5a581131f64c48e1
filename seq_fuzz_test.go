package sweetspot_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
)

var errBody = errors.New("the body's own")

// FuzzSeqCalls compares the calls over sequences with a plain loop. Each byte is
// a value: what it costs, where, and how it ends.
func FuzzSeqCalls(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint16(0), []byte{1, 2, 3})
	f.Add(uint8(3), uint8(1), uint16(40), []byte("\x10\x11\x12\x13\x90\x91\x92\x10\x10\x55\x10\x10"))
	f.Add(uint8(6), uint8(2), uint16(9), []byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x07aaaaaaaaaaaaaa"))
	f.Add(uint8(0), uint8(1), uint16(62), []byte("aXAAAAA"))                                    // the last value is claimed while the caller begins to wait for that
	f.Add(uint8(48), uint8(6), uint16(9), []byte("aaaaaaaaaaaaaaaaaaaaaaaa\x07aaaaaaaaaaaaaa")) // the body panics apart
	f.Add(uint8(48), uint8(0), uint16(9), []byte("AAAAAAAAAAAAAAAAAAAAAAAA"))                   // and alone
	f.Add(uint8(80), uint8(6), uint16(9), []byte("aaaaaaaaaaaaaaaaaaaaaaaa\x07aaaaaaaaaaaaaa")) // or exits
	f.Add(uint8(0), uint8(18), uint16(71), []byte("8\x06"))                                     // the caller works off an item that panics
	f.Add(uint8(29), uint8(0), uint16(0), []byte("\xff\x05"))                                   // cancelled beside an error
	f.Add(uint8(9), uint8(3), uint16(300), []byte("abcabcabc\x06abcabc\x05"))
	f.Fuzz(func(t *testing.T, how, limit uint8, leave uint16, values []byte) {
		if len(values) > 300 {
			return
		}
		var opts []sweetspot.MapSeqOption
		var l *sweetspot.Limiter
		switch n := 1 + int(limit/3)%8; limit % 3 {
		case 0:
			opts = append(opts, sweetspot.Fixed(n))
		case 1:
			l = setTo(sweetspot.New(), n)
			opts = append(opts, l)
		}
		goOn := how&1 != 0
		if goOn {
			opts = append(opts, sweetspot.AllErrors())
		}
		ordered := how&2 == 0
		if !ordered {
			opts = append(opts, sweetspot.Unordered())
		}
		costs := [...]time.Duration{0, 0, time.Microsecond, 70 * time.Microsecond, time.Millisecond, 0, 0, time.Second}
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if how&4 != 0 {
				time.AfterFunc(time.Duration(leave)*time.Millisecond, func() { cancel(errStop) })
			}
			var g gauge
			ended := false
			seq := func(yield func(int) bool) {
				defer func() { ended = true }()
				for i, b := range values {
					if b&0x20 != 0 {
						time.Sleep(costs[b>>3&3+1])
					}
					if !yield(i) {
						return
					}
				}
			}
			do := func(ctx context.Context, i int) (int, error) {
				g.enter()
				defer g.leave()
				b := values[i]
				time.Sleep(costs[b>>3&7])
				switch {
				case b&0xc7 == 0xc7:
					return 0, errBad
				case b == 6:
					panic(errBad)
				case b == 5:
					runtime.Goexit()
				}
				return i, nil
			}
			fails := func(b byte) bool { return b&0xc7 == 0xc7 }
			ends := func(b byte) bool { return b == 5 || b == 6 }

			var got []int
			var errs []error
			var value any
			returned, left := false, false
			done := make(chan bool)
			go func() {
				defer close(done)
				value = refuse(func() {
					if how&8 != 0 {
						if err := sweetspot.ForEachSeq(ctx, seq, func(ctx context.Context, i int) error {
							_, err := do(ctx, i)
							return err
						}, as[sweetspot.MapOption](opts)...); err != nil {
							errs = append(errs, err)
						}
					} else {
						for v, err := range sweetspot.MapSeq(ctx, seq, do, opts...) {
							if err != nil {
								errs = append(errs, err)
							} else {
								got = append(got, v)
							}
							if how&16 != 0 && len(got) > int(leave) {
								left = true
								switch {
								case how&32 != 0:
									panic(errBody)
								case how&64 != 0:
									runtime.Goexit()
								}
								break
							}
						}
					}
					returned = true
				})
			}()
			<-done
			if g.now.Load() != 0 || (g.total.Load() > 0 && !ended) {
				t.Fatalf("%d calls outlive the range; the sequence ended: %v", g.now.Load(), ended)
			}
			if l != nil {
				isFree(t, l)
			}
			if p, ok := value.(*sweetspot.PanicError); ok && p.Value == errBody && left {
				return
			}
			if left && how&(32|64) != 0 && returned {
				t.Fatal("the loop was left by panic or Goexit, and yet the goroutine went on")
			}
			if value != nil {
				if e, ok := value.(*sweetspot.PanicError); !ok || e.Value != errBad || !slices.Contains(values, 6) {
					t.Fatalf("panic %v", value)
				}
				return
			}
			if !returned {
				if !slices.Contains(values, 5) && !(left && how&64 != 0) {
					t.Fatal("the goroutine ended")
				}
				return
			}
			for _, err := range errs {
				var ie *sweetspot.ItemError
				if ctx.Err() != nil && errors.Is(err, errStop) {
					return
				}
				if !errors.Is(err, errBad) && !errors.Is(err, errStop) || errors.As(err, &ie) && !fails(values[ie.Index]) {
					t.Fatalf("error %v", err)
				}
			}
			// What a plain loop would have done.
			var want []int
			bad := 0
			for i, b := range values {
				if ends(b) && !left && (len(errs) == 0 || goOn) {
					t.Fatalf("value %d ended nothing", i)
				}
				if fails(b) {
					if bad++; !goOn && ordered {
						break
					}
					continue
				}
				want = append(want, i)
			}
			if (bad > 0) != (len(errs) > 0) && !left {
				t.Fatalf("errors %v, want %d", errs, bad)
			}
			if how&8 != 0 {
				if len(errs) == 0 && g.total.Load() != int64(len(values)) {
					t.Fatalf("%d of %d values done", g.total.Load(), len(values))
				}
				return
			}
			if !ordered {
				slices.Sort(got)
				for i, v := range got {
					if !slices.Contains(want, v) || i > 0 && got[i-1] == v {
						t.Fatalf("results %v of %v", got, want)
					}
				}
				if !left && (goOn || bad == 0) && len(got) != len(want) {
					t.Fatalf("results %v, want %v", got, want)
				}
				return
			}
			if left {
				want = want[:min(len(want), int(leave)+1)]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("results %v, want %v", got, want)
			}
		})
	})
}
