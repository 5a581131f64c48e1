package grpclimit_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"github.com/sweetspot-go/sweetspot/control"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// from returns the context of calls from an address that ends so.
func from(ctx context.Context, last int) context.Context {
	return peer.NewContext(ctx, &peer.Peer{Addr: &net.TCPAddr{IP: net.IPv4(192, 0, 2, byte(last))}})
}

// others returns how many calls of 20 ms 32 clients have answered in the last half of four
// seconds of virtual time, beside a tenant with so many connections, from up to 16 addresses,
// that comes after a second.
func others(t *testing.T, connections int, tenant func(ctx context.Context, gate *grpclimit.Server)) (answered int64) {
	synctest.Test(t, func(t *testing.T) {
		const length = 4 * time.Second
		// As a server makes it for itself, on a machine with two CPUs.
		gate := &grpclimit.Server{Limiter: sweetspot.New(sweetspot.Start(2), sweetspot.Controller(control.NewOverload(control.NewLatency())))}
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		began := time.Now()
		var n atomic.Int64
		var wg sync.WaitGroup
		client := func(address int, call func(context.Context)) {
			for ctx.Err() == nil {
				call(from(t.Context(), address))
				time.Sleep(4 * time.Millisecond)
			}
		}
		for i := range 32 {
			wg.Go(func() {
				client(100+i, func(ctx context.Context) {
					if _, err := gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, works(20*time.Millisecond)); err == nil && time.Since(began) > length/2 {
						n.Add(1)
					}
				})
			})
		}
		for i := range connections {
			wg.Go(func() {
				time.Sleep(length / 4)
				client(i%16, func(ctx context.Context) { tenant(ctx, gate) })
			})
		}
		wg.Wait()
		answered = n.Load()
	})
	return answered
}

// works is a handler that takes so long, unless the context of the call ends before.
func works(d time.Duration) grpc.UnaryHandler {
	return func(ctx context.Context, _ any) (any, error) {
		if d == 0 { // a timer that is due at once crashes the race detector in a bubble
			return nil, nil
		}
		select {
		case <-time.After(d):
			return nil, nil
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
}

// A tenant over its quota, or with deadlines that no call can keep, costs the others no
// more than one whose calls take as long and succeed.
func TestServerBearsAHostileTenant(t *testing.T) {
	unary := func(ctx context.Context, gate *grpclimit.Server, h grpc.UnaryHandler) {
		gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, h)
	}
	for name, pair := range map[string]struct {
		hostile, harmless func(context.Context, *grpclimit.Server)
	}{
		"quota": {
			func(ctx context.Context, gate *grpclimit.Server) {
				unary(ctx, gate, func(context.Context, any) (any, error) { return nil, status.Error(codes.ResourceExhausted, "quota") })
			},
			func(ctx context.Context, gate *grpclimit.Server) { unary(ctx, gate, works(0)) },
		},
		"deadlines": {
			func(ctx context.Context, gate *grpclimit.Server) {
				ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				unary(ctx, gate, works(20*time.Millisecond))
			},
			func(ctx context.Context, gate *grpclimit.Server) { unary(ctx, gate, works(time.Millisecond)) },
		},
		"slow calls": { // whose deadlines leave as much time as calls take in the mean
			func(ctx context.Context, gate *grpclimit.Server) {
				ctx, cancel := context.WithTimeout(ctx, 25*time.Millisecond)
				defer cancel()
				unary(ctx, gate, works(100*time.Millisecond))
			},
			func(ctx context.Context, gate *grpclimit.Server) { unary(ctx, gate, works(25*time.Millisecond)) },
		},
	} {
		for _, connections := range []int{4, 64} {
			hostile, harmless := others(t, connections, pair.hostile), others(t, connections, pair.harmless)
			if float64(hostile) < 0.9*float64(harmless) || harmless < 500 {
				t.Errorf("%s, %d connections: the others get %d, and %d beside a harmless tenant", name, connections, hostile, harmless)
			}
		}
	}
}

// Where Classify says that calls are overloads, those that one peer alone has are not
// counted while the others do well; those that all have are.
func TestServerBoundsWhatOnePeerCauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type tenant struct{}
		l := setTo(sweetspot.New(), 4)
		gate := &grpclimit.Server{
			Limiter: l,
			Peer:    func(ctx context.Context) string { return ctx.Value(tenant{}).(string) },
			Classify: func(err error) sweetspot.Outcome {
				if status.Code(err) == codes.Unavailable {
					return sweetspot.Overloaded
				}
				return grpclimit.HandlerOutcome(err)
			},
		}
		counted := func(failing string) int64 {
			before := l.Stats().Overloads
			for i := range 4000 {
				name := string(rune('a' + i%4))
				gate.Unary(context.WithValue(t.Context(), tenant{}, name), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) {
					time.Sleep(time.Millisecond)
					if strings.Contains(failing, name) {
						return nil, status.Error(codes.Unavailable, "the database is overloaded")
					}
					return nil, nil
				})
			}
			return l.Stats().Overloads - before
		}
		if n := counted("a"); n > 10 {
			t.Errorf("%d overloads of one peer count, want the first ten", n)
		}
		if n := counted("abcd"); n < 3900 {
			t.Errorf("%d of 4000 overloads of all count", n)
		}
	})
}

// Without Peer, the address of the connection names the peer.
func TestServerPeersByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		gate := &grpclimit.Server{Limiter: l, Classify: func(err error) sweetspot.Outcome {
			if err != nil {
				return sweetspot.Overloaded
			}
			return sweetspot.Done
		}}
		for i := range 4000 {
			gate.Unary(from(t.Context(), i%4), nil, &grpc.UnaryServerInfo{}, func(context.Context, any) (any, error) {
				time.Sleep(time.Millisecond)
				if i%4 == 0 {
					return nil, status.Error(codes.Unavailable, "mine alone")
				}
				return nil, nil
			})
		}
		if got := outcomes(l); got[0] != 3000 || got[2] > 10 {
			t.Errorf("%v done, ignored, overloaded; want 990 ignored or more", got)
		}
	})
}

// The first calls, too, are judged by what calls take: deadlines that leave less are not the
// server's fault.
func TestServerKnowsTheUsualTimeFromTheFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		gate := &grpclimit.Server{Limiter: l}
		gate.Unary(from(t.Context(), 1), nil, &grpc.UnaryServerInfo{}, works(20*time.Millisecond))
		for range 5 {
			ctx, cancel := context.WithTimeout(from(t.Context(), 2), 10*time.Millisecond)
			gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, works(20*time.Millisecond))
			cancel()
		}
		if got := outcomes(l); got != [3]int64{1, 5, 0} {
			t.Errorf("%v done, ignored, overloaded; want 1 done and 5 ignored", got)
		}
	})
}

// A deadline is judged by the time that it left, not by how long a handler ran that did not
// notice it.
func TestServerJudgesDeadlinesByWhatTheyLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := setTo(sweetspot.New(), 4)
		gate := &grpclimit.Server{Limiter: l}
		deaf := func(context.Context, any) (any, error) {
			time.Sleep(20 * time.Millisecond)
			return nil, nil
		}
		gate.Unary(from(t.Context(), 1), nil, &grpc.UnaryServerInfo{}, deaf)
		for range 5 {
			ctx, cancel := context.WithTimeout(from(t.Context(), 2), time.Millisecond)
			gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, deaf)
			cancel()
		}
		if got := outcomes(l); got != [3]int64{1, 5, 0} {
			t.Errorf("%v done, ignored, overloaded; want 1 done and 5 ignored", got)
		}
	})
}

// A client cancels a call at its deadline, too, and the server may see that first.
func TestServerCountsCallsCancelledAtTheirDeadline(t *testing.T) {
	for after, want := range map[time.Duration][3]int64{
		16 * time.Millisecond: {1, 1, 0}, // it has changed its mind
		31 * time.Millisecond: {1, 0, 1},
		time.Hour:             {1, 0, 1}, // the server is first
	} {
		synctest.Test(t, func(t *testing.T) {
			l := setTo(sweetspot.New(), 4)
			gate := &grpclimit.Server{Limiter: l}
			gate.Unary(from(t.Context(), 1), nil, &grpc.UnaryServerInfo{}, works(20*time.Millisecond))
			ctx, cancel := context.WithTimeout(from(t.Context(), 2), 32*time.Millisecond)
			defer time.AfterFunc(after, cancel).Stop()
			gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, works(time.Minute))
			if got := outcomes(l); got != want {
				t.Errorf("cancelled after %v: %v done, ignored, overloaded; want %v", after, got, want)
			}
			cancel()
		})
	}
}

// Where all calls miss their deadlines, which leave as much time as calls took before, the
// limit comes down to where they do not.
func TestServerComesBackFromLateCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := &grpclimit.Server{Queue: -1, Limiter: sweetspot.New(sweetspot.Start(64), sweetspot.Max(64),
			sweetspot.Controller(control.NewOverload(control.NewLatency())))}
		var active, parts, late, done atomic.Int64
		parts.Store(1) // of a millisecond that a step takes, for each call that is active
		handler := func(ctx context.Context, _ any) (any, error) {
			defer active.Add(-1)
			active.Add(1)
			for range 10 {
				select {
				case <-time.After(time.Duration(active.Load()*parts.Load()) * 100 * time.Microsecond):
				case <-ctx.Done():
					return nil, status.FromContextError(ctx.Err()).Err()
				}
			}
			return nil, nil
		}
		began := time.Now()
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for time.Since(began) < 40*time.Second {
					ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
					_, err := gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, handler)
					cancel()
					switch {
					case time.Since(began) < 20*time.Second:
					case err == nil:
						done.Add(1)
					default:
						late.Add(1)
					}
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		time.Sleep(5 * time.Second)
		parts.Store(15) // 64 at a time take 0.96 s, 32 take 0.48
		wg.Wait()
		if done.Load() < 500 { // of 66 a second
			t.Errorf("%d calls were done in 20 s, and %d were late, at a limit of %d", done.Load(), late.Load(), gate.Limiter.Limit())
		}
	})
}

// Where calls have queued elsewhere for so long that all of them miss what is left of their
// deadlines, the limit comes down to where they do not, though that is less than calls took.
func TestServerComesBackFromCallsWithLittleTimeLeft(t *testing.T) {
	for _, notices := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			gate := &grpclimit.Server{Queue: -1, Limiter: sweetspot.New(sweetspot.Start(16), sweetspot.Max(16),
				sweetspot.Controller(control.NewOverload(control.NewLatency())))}
			var active, done atomic.Int64
			handler := func(ctx context.Context, _ any) (any, error) {
				defer active.Add(-1)
				active.Add(1)
				for range 10 {
					time.Sleep(time.Duration(active.Load()) * 600 * time.Microsecond)
					if notices && ctx.Err() != nil {
						return nil, status.FromContextError(ctx.Err()).Err()
					}
				}
				return nil, nil
			}
			began := time.Now()
			var wg sync.WaitGroup
			for i := range 16 {
				wg.Go(func() {
					for time.Since(began) < 20*time.Second {
						left := time.Second
						if time.Since(began) > 5*time.Second {
							left = 50 * time.Millisecond // 16 at a time take 96 ms
						}
						ctx, cancel := context.WithTimeout(from(t.Context(), i), left)
						_, err := gate.Unary(ctx, nil, &grpc.UnaryServerInfo{}, handler)
						if err == nil && ctx.Err() == nil && time.Since(began) > 10*time.Second {
							done.Add(1)
						}
						cancel()
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
			wg.Wait()
			if done.Load() < 500 { // of 167 a second
				t.Errorf("noticed %v: %d calls were done in time in 10 s, at a limit of %d", notices, done.Load(), gate.Limiter.Limit())
			}
		})
	}
}
