package loop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/internal/loop"
	"github.com/sweetspot-go/sweetspot/sense"
)

// A latencyReader wants the times in flight, or not.
type latencyReader struct {
	recorder
	wants bool
}

func (c *latencyReader) LateAfter() time.Duration {
	if !c.wants {
		return 0
	}
	return 4 * time.Millisecond
}

// The law that asks for them gets all times in flight of timed units that are done,
// and no other law gets any.
func TestLatencies(t *testing.T) {
	for _, wants := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			c := &latencyReader{recorder: recorder{law: keep}, wants: wants}
			l := loop.New(loop.Config{Start: 4, Controller: c})
			end := func(d time.Duration, o loop.Outcome) {
				if err := l.Acquire(t.Context()); err != nil {
					t.Fatal(err)
				}
				began := l.Clock()
				time.Sleep(d)
				l.End(began, o, 1)
			}
			for range 3 {
				end(time.Millisecond, loop.Done)
			}
			end(time.Second, loop.Ignored)
			end(8*time.Millisecond, loop.Done)
			time.Sleep(100 * time.Millisecond)
			got := c.last()
			if !wants {
				if got.Latencies != nil {
					t.Error("a law that does not want them gets times in flight")
				}
				return
			}
			h := got.Latencies
			if h == nil || h.Count() != 4 || got.Timed != 4 || got.Late != 1 || h.Sum != got.Residence {
				t.Fatalf("%d late, and times in flight %+v of a reading with %d timed in %v s, want one late, and 4 in 0.011 s", got.Late, h, got.Timed, got.Residence)
			}
			if q := h.Quantile(0.99); q < 0.0065 || q > 0.0096 {
				t.Errorf("99 in 100 take up to %v s, want 8 ms, to a fifth", q)
			}
		})
	}
}

// A server with 10 slots of 20 ms, and always more to do: the law comes to rest a
// little above 10.
func TestLatencyGoverns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loop.New(loop.Config{Start: 4, Controller: control.NewLatency(), Sensor: sensor(func(int) sense.Sample { return sense.Sample{CPUs: 4} })})
		slots := make(chan struct{}, 10)
		stop := time.Now().Add(10 * time.Second)
		done := make(chan struct{})
		const workers = 100
		for range workers {
			go func() {
				defer func() { done <- struct{}{} }()
				for time.Now().Before(stop) {
					if l.Acquire(t.Context()) != nil {
						return
					}
					began := l.Clock()
					slots <- struct{}{}
					time.Sleep(20 * time.Millisecond)
					<-slots
					l.End(began, loop.Done, 1)
				}
			}()
		}
		time.Sleep(9 * time.Second)
		most, least := 0, 1000
		for range 50 {
			time.Sleep(10 * time.Millisecond)
			most, least = max(most, l.Limit()), min(least, l.Limit())
		}
		if least < 6 || most > 18 {
			t.Errorf("the limit is between %d and %d, want a little over 10, or 0.6 of that for a moment\n%v", least, most, l.Decisions())
		}
		for range workers {
			<-done
		}
	})
}
