package grpclimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	grpclimit "github.com/sweetspot-go/sweetspot/contrib/grpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// others returns how many calls of 20 ms 64 clients have answered in the last half of four
// seconds of virtual time, beside a tenant with so many connections.
func others(t *testing.T, connections int, tenant func(ctx context.Context, gate *grpclimit.Server)) (answered int64) {
	synctest.Test(t, func(t *testing.T) {
		const length = 4 * time.Second
		gate := new(grpclimit.Server)
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		began := time.Now()
		var n atomic.Int64
		var wg sync.WaitGroup
		client := func(call func()) {
			for ctx.Err() == nil {
				call()
				time.Sleep(time.Millisecond)
			}
		}
		for range 64 {
			wg.Go(func() {
				client(func() {
					if _, err := gate.Unary(t.Context(), nil, &grpc.UnaryServerInfo{}, works(20*time.Millisecond)); err == nil && time.Since(began) > length/2 {
						n.Add(1)
					}
				})
			})
		}
		for range connections {
			wg.Go(func() { client(func() { tenant(t.Context(), gate) }) })
		}
		wg.Wait()
		answered = n.Load()
	})
	return answered
}

// works is a handler that takes so long, unless the context of the call ends before.
func works(d time.Duration) grpc.UnaryHandler {
	return func(ctx context.Context, _ any) (any, error) {
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
	} {
		for _, connections := range []int{4, 64} {
			hostile, harmless := others(t, connections, pair.hostile), others(t, connections, pair.harmless)
			if float64(hostile) < 0.9*float64(harmless) || harmless < 1000 {
				t.Errorf("%s, %d connections: the others get %d, and %d beside a harmless tenant", name, connections, hostile, harmless)
			}
		}
	}
}
