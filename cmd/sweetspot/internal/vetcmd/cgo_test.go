package vetcmd_test

import (
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/vetcmd"
	"github.com/sweetspot-go/sweetspot/vet"
)

// What comes from C is of no type, and all checks live with that.
func TestChecksOfC(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	dir := module(t, `
-- c.go --
package c

// static int f(int x) { return x; }
// typedef struct { long b[4]; } S;
// typedef void (*callback)(void);
// static callback g(void) { return 0; }
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

type shard struct {
	mu sync.Mutex
	s  C.S
}

type group struct{ sync.WaitGroup }

func (g *group) Go(f any) {}

func All(n int, p unsafe.Pointer, g *group) []C.long {
	var shards [8]shard
	var wg sync.WaitGroup
	out := make([]C.long, n)
	items := make(chan C.int)
	count := (*int64)(p)
	for i, b := range C.GoBytes(p, C.int(n)) {
		wg.Go(func() {
			for _, c := range C.GoBytes(p, 9) {
				out[i] += C.long(C.f(C.int(c)))
				shards[i%8].s.b[i%4]++
				atomic.AddInt64(count, int64(C.f(1)))
				items <- C.f(3)
			}
		})
		go C.f(C.int(b))
		g.Go(C.g())
		for range C.GoBytes(p, 2) {
			go func() { out[C.f(1)]++ }()
		}
	}
	go func() {
		for {
			*(*C.long)(p)++
			C.f(<-items)
		}
	}()
	wg.Wait()
	for _, b := range C.GoBytes(p, 1) {
		items <- C.int(b)
	}
	return out
}
`)
	r, err := vetcmd.Check(t.Context(), vetcmd.Request{Dir: dir, Analyzers: vet.Analyzers(vet.Hot, vet.Tests())})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Broken) > 0 || r.Packages != 1 {
		t.Errorf("%d packages were looked at, and not %v", r.Packages, r.Broken)
	}
}
