package natslimit

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A question is what the elected worker asks the others, again and again. It is its
// sign of life as well.
type question struct {
	Worker  string `json:"worker"`
	Change  int64  `json:"change"` // counts the changes of the limit
	Resigns bool   `json:"resigns,omitempty"`
}

// A report is a worker's answer. What is not a number of the present only grows.
type report struct {
	Worker string `json:"worker"`
	CPUs   int    `json:"cpus"`

	Completed  int64   `json:"completed"`
	Overloads  int64   `json:"overloads"`
	Residence  float64 `json:"residence"`
	Residence2 float64 `json:"residence2"`
	Occupancy  float64 `json:"occupancy"`

	Change         int64   `json:"change"` // the one that the next two are about
	TimedSince     int64   `json:"timedSince"`
	ResidenceSince float64 `json:"residenceSince"`

	InFlight int `json:"inFlight"`
	// Delayed is the number of messages that this worker gave back and that the
	// server keeps for a while, the longest for Wait. They count as pending there.
	Delayed int           `json:"delayed,omitempty"`
	Wait    time.Duration `json:"wait,omitempty"`
}

// A ledger is what a worker measures of its jobs.
type ledger struct {
	mu      sync.Mutex
	totals  report
	at      time.Time   // of totals.Occupancy
	changed time.Time   // when this worker heard that the limit changed
	delays  []time.Time // ends of those under way
}

func (g *ledger) began(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(j.began, 1)
}

func (g *ledger) ended(j *job, done bool) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(now, -1)
	if !done {
		return
	}
	t, r := &g.totals, now.Sub(j.began).Seconds()
	t.Completed++
	t.Residence += r
	t.Residence2 += r * r
	if !j.began.Before(g.changed) {
		t.TimedSince++
		t.ResidenceSince += r
	}
}

// count brings the occupancy up to date, and adds n to the jobs in flight.
func (g *ledger) count(now time.Time, n int) {
	if now.After(g.at) { // two that begin may come here in the other order
		g.totals.Occupancy += now.Sub(g.at).Seconds() * float64(g.totals.InFlight)
		g.at = now
	}
	g.totals.InFlight += n
}

// delayed takes down that a message was given back for a while.
func (g *ledger) delayed(wait time.Duration) {
	if wait == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.delays = append(g.delays, time.Now().Add(wait))
}

// report returns the present figures, for one who has changed the limit so often.
func (g *ledger) report(change int64) report {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(now, 0)
	t := &g.totals
	if change != t.Change {
		g.changed, t.Change, t.TimedSince, t.ResidenceSince = now, change, 0, 0
	}
	g.delays = slices.DeleteFunc(g.delays, now.After)
	t.Delayed, t.Wait = len(g.delays), 0
	for _, d := range g.delays {
		t.Wait = max(t.Wait, d.Sub(now))
	}
	t.CPUs = runtime.GOMAXPROCS(0)
	return *t
}

// jitter returns d and up to a quarter more.
func jitter(d time.Duration) time.Duration { return d + rand.N(d/4+1) }

// encode returns v, which must be one of the types above, as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a NaN
	}
	return b
}

// decode reports whether b is a T: others may write to the same subject.
func decode[T any](b []byte) (v T, ok bool) {
	return v, json.Unmarshal(b, &v) == nil
}
