package ranges_test

import (
	"math"
	"sync/atomic"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/call"
	"github.com/sweetspot-go/sweetspot/internal/ranges"
)

// TestStealMissesNothing: a thief whose victim claims all it had meanwhile finds what
// another one has.
func TestStealMissesNothing(t *testing.T) {
	var thief, busy, poor call.Worker
	victims := []*call.Worker{&busy}
	for range 300 { // while the thief looks at these, the first one's has gone
		victims = append(victims, &thief)
	}
	victims = append(victims, &poor)
	var over atomic.Bool
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		close(began)
		for !over.Load() {
			ranges.SpanOf(&busy).Set(0, 3)
			ranges.SpanOf(&busy).Claim(3)
		}
	}()
	<-began
	for range 10_000 {
		ranges.SpanOf(&poor).Set(10, 11)
		if !ranges.StealFrom(&thief, victims) {
			t.Error("a thief found nothing where a worker has an item")
			break
		}
		ranges.SpanOf(&thief).Claim(math.MaxUint32)
		ranges.SpanOf(&poor).Claim(math.MaxUint32)
	}
	over.Store(true)
	<-ended
}
