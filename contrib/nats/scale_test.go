package natslimit

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A shop is a consumer and its workers, in which work flows evenly. A worker does limit
// messages at a time, each in work seconds.
type shop struct {
	scale   Scale
	now     time.Time
	limit   int
	work    float64
	rate    float64 // arrivals per second
	info    jetstream.ConsumerInfo
	waits   float64
	arrived float64
	crew    []Worker
}

func newShop(workers, limit int, work, rate float64) *shop {
	s := &shop{now: time.Unix(1e9, 0), limit: limit, work: work, rate: rate}
	s.info.Config.MaxAckPending = -1
	s.add(workers)
	return s
}

func (s *shop) add(n int) {
	for range n {
		s.crew = append(s.crew, Worker{Name: fmt.Sprint("worker ", len(s.crew)), Limit: s.limit})
	}
}

// step lets time pass, and asks the Scale.
func (s *shop) step(d time.Duration) int {
	seconds, n := d.Seconds(), float64(len(s.crew))
	s.now = s.now.Add(d)
	s.arrived += s.rate * seconds
	s.waits += s.rate * seconds
	do := min(s.waits, n*float64(s.limit)/s.work*seconds)
	s.waits -= do
	for i := range s.crew {
		w := &s.crew[i]
		w.Occupancy += do * s.work / n
		w.Ended = int64(w.Occupancy / s.work)
	}
	s.info.TimeStamp, s.info.NumPending = s.now, uint64(s.waits)
	s.info.Delivered.Consumer = uint64(s.arrived) - s.info.NumPending
	return s.scale.Next(&s.info, s.crew).Replicas
}

const askedEvery = 15 * time.Second

// TestScaleKnowsWhatWorkersCanDo lets Limiters learn that a worker does 32 at a time, and
// then lower their limits to the little that there is to do. 20 units of work need 0.625
// of a worker: two, with the square root of that to spare.
func TestScaleKnowsWhatWorkersCanDo(t *testing.T) {
	s := newShop(2, 32, 1, 80) // more than two of them can do
	for range 4 {
		s.step(askedEvery)
	}
	s.rate, s.waits = 20, 0
	for i := range s.crew {
		s.crew[i].Limit = 12
	}
	s.limit = 12
	n := 0
	for range 40 {
		n = s.step(askedEvery)
	}
	if n != 2 {
		t.Errorf("%d workers for 20 messages at a time, of which one worker bears 32", n)
	}
}

// TestScaleFollowsAWorseLimit has the same workers bear 8 at a time from now on, as they
// learn under a backlog.
func TestScaleFollowsAWorseLimit(t *testing.T) {
	s := newShop(4, 32, 1, 70)
	for range 10 {
		s.step(askedEvery)
	}
	s.limit = 8
	for i := range s.crew {
		s.crew[i].Limit = 8
	}
	n := 0
	for range 10 {
		n = s.step(askedEvery)
	}
	if n < 10 { // 70/8 = 8.75 are busy all the time
		t.Errorf("%d workers for 70 messages at a time, of which one worker bears 8", n)
	}
}

// TestScaleSeesLongJobs has jobs of an hour: more workers are wanted long before the
// first one ends.
func TestScaleSeesLongJobs(t *testing.T) {
	s := newShop(1, 4, 3600, 0)
	s.waits, s.arrived = 1000, 1000
	s.crew[0].InFlight = 4
	s.step(askedEvery)
	if n := s.step(askedEvery); n < 10 {
		t.Errorf("%d workers for 1,000 jobs of an hour after 30 s", n)
	}
}

// TestScaleMeasuresTheStart lets workers come 40 s after they were wanted, and never.
func TestScaleMeasuresTheStart(t *testing.T) {
	s := newShop(1, 1, 1, 5)
	s.scale.Max = 8
	s.step(askedEvery)
	if n := s.step(askedEvery); n != 8 {
		t.Fatalf("%d workers for five times what one can do, want 8", n)
	}
	s.step(20 * time.Second)
	s.add(4)
	s.step(20 * time.Second)
	if got := s.scale.law.Startup; got != 40*time.Second || len(s.scale.orders) != 3 {
		t.Errorf("a start takes %v, and %d more are expected; want 40s and 3", got, len(s.scale.orders))
	}
	s.rate, s.waits = 3, 0
	for range 41 {
		s.step(askedEvery)
	}
	if got := s.scale.law.Startup; got != 40*time.Second || len(s.scale.orders) > 0 {
		t.Errorf("those that do not come make a start take %v, and %d are expected still", got, len(s.scale.orders))
	}
}

// TestScaleKnowsWhatIsLeftAlone has one worker more wanted than the ten that there are,
// which an autoscaler ignores, and some minutes later three more.
func TestScaleKnowsWhatIsLeftAlone(t *testing.T) {
	s := newShop(10, 1, 1, 6.8)
	s.scale.Max = 14
	for range 8 {
		s.step(askedEvery)
	}
	if n := s.step(askedEvery); n != 10 {
		t.Fatalf("%d workers, of which seven are busy, want 10", n)
	}
	s.rate = 7.5
	n := 0
	for range 12 {
		n = s.step(askedEvery)
	}
	if n != 11 || len(s.scale.orders) != 1 {
		t.Fatalf("%d workers wanted, %d expected; want 11, and one", n, len(s.scale.orders))
	}
	s.rate = 20
	s.step(askedEvery)
	s.add(4)
	s.step(askedEvery)
	if got := s.scale.law.Startup; got != askedEvery {
		t.Errorf("a start takes %v, want 15s", got)
	}
}

// TestScaleForgetsOrdersAtRest must not take the time without work for a slow start.
func TestScaleForgetsOrdersAtRest(t *testing.T) {
	s := newShop(0, 1, 1, 0)
	for range 10 {
		if n := s.step(askedEvery); n != 1 {
			t.Fatalf("%d workers without work, want 1", n)
		}
	}
	s.waits, s.arrived = 10, 10
	s.step(askedEvery)
	s.add(1)
	s.step(askedEvery)
	if got := s.scale.law.Startup; got != askedEvery {
		t.Errorf("a start takes %v, want 15s", got)
	}
}

// TestScaleHeedsTheFleet adds no workers where those that are there hold all that may be
// taken at a time.
func TestScaleHeedsTheFleet(t *testing.T) {
	for _, c := range []struct{ all, held, want int }{
		{-1, 12, 40}, {12, 12, 3}, {13, 13, 4}, {12, 11, 40}, {4, 4, 2},
	} {
		s := newShop(2, 4, 1, 100)
		s.scale.Max = 40
		s.info.Config.MaxAckPending, s.info.NumAckPending = c.all, c.held
		n := 0
		for range 3 {
			n = s.step(askedEvery)
		}
		if n != c.want {
			t.Errorf("%d of %d taken, 4 by each worker: %d workers, want %d", c.held, c.all, n, c.want)
		}
	}
}

// TestScaleCountsEachOnce has a worker miss an answer, another end, and one begin anew
// under the same name.
func TestScaleCountsEachOnce(t *testing.T) {
	s := &Scale{known: map[string]*known{}}
	now := time.Unix(1e9, 0)
	a, b := Worker{Name: "a", Limit: 1, Ended: 10, Occupancy: 10}, Worker{Name: "b", Limit: 1, Ended: 20, Occupancy: 20}
	for i, c := range []struct {
		ready int
		taken int64
		says  []Worker
	}{
		{2, 30, []Worker{a, b}},
		{2, 35, []Worker{{Name: "a", Limit: 1, Ended: 15, Occupancy: 15}}}, // b is late
		{2, 41, []Worker{{Name: "a", Limit: 1, Ended: 16, Occupancy: 16}, {Name: "b", Limit: 1, Ended: 25, Occupancy: 25}}},
		{1, 42, []Worker{{Name: "a", Limit: 1, Ended: 17, Occupancy: 17}, {Name: "b", Limit: 1, Ended: 25, Occupancy: 25, Draining: true}}},
		{1, 45, []Worker{{Name: "a", Limit: 1, Ended: 2, Occupancy: 2, InFlight: 1}}}, // a new process
		{0, 45, nil},
	} {
		now = now.Add(askedEvery)
		if ready := s.meet(now, c.says); ready != c.ready || s.taken != c.taken {
			t.Errorf("%d: %d ready, %d messages; want %d and %d", i, ready, s.taken, c.ready, c.taken)
		}
	}
}

// TestScaleHearsOfAWorkerLate has a worker answer for the first time that has been at work for
// long, and one that has begun since the last question. What the first did before is not the work
// of one interval.
func TestScaleHearsOfAWorkerLate(t *testing.T) {
	s := &Scale{known: map[string]*known{}, units: 8}
	now := time.Unix(1e9, 0)
	a := Worker{Name: "a", Limit: 8}
	for i, c := range []struct {
		taken int64
		busy  float64
		says  []Worker
	}{
		{0, 0, []Worker{a}},
		{100, 10, []Worker{a, {Name: "b", Limit: 8, InFlight: 8, Ended: 2e6, Occupancy: 1e6}, {Name: "c", Limit: 8, Ended: 100, Occupancy: 80}}},
		{150, 15, []Worker{a, {Name: "b", Limit: 8, InFlight: 8, Ended: 2e6 + 50, Occupancy: 1e6 + 40}, {Name: "c", Limit: 8, Ended: 100, Occupancy: 80}}},
	} {
		now = now.Add(askedEvery)
		if s.meet(now, c.says); s.taken != c.taken || s.busy != c.busy {
			t.Errorf("%d: %d messages, %v s of work; want %d and %v", i, s.taken, s.busy, c.taken, c.busy)
		}
	}
}
