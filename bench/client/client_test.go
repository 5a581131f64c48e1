package main

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestAPIRefusesWhatIsTooMuch(t *testing.T) {
	for _, test := range []struct {
		name         string
		capacity, by int64
		retryAfter   int
		status       int
		header       string
	}{
		{"room", 3, 2, 0, http.StatusOK, ""},
		{"none", 3, 3, 0, http.StatusTooManyRequests, ""},
		{"none for a while", 3, 3, 2, http.StatusTooManyRequests, "2"},
	} {
		a := &api{retryAfter: test.retryAfter}
		a.capacity.Store(test.capacity)
		a.inFlight.Store(test.by)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		if w.Code != test.status || w.Header().Get("Retry-After") != test.header {
			t.Errorf("%s: status %d, Retry-After %q; want %d, %q", test.name, w.Code, w.Header().Get("Retry-After"), test.status, test.header)
		}
		if n := a.inFlight.Load(); n != test.by {
			t.Errorf("%s: %d in flight after the answer, %d before", test.name, n, test.by)
		}
	}
}

func TestBestOf(t *testing.T) {
	sweep := map[int]result{10: {rate: 5}, 20: {rate: 9}, 30: {rate: 7}, 40: {rate: 10, refusedWarm: 0.9}, 50: {rate: 11, refusedWarm: 0.95}}
	for _, c := range []struct {
		numbers []int
		want    int
	}{
		{[]int{10, 20, 30}, 20},
		{[]int{50, 40, 10, 20, 30}, 20},
		{[]int{40, 50}, 50},
	} {
		if n := bestOf(c.numbers, sweep); n != c.want {
			t.Errorf("of %d the best is %d, want %d", c.numbers, n, c.want)
		}
	}
}

// More permits than the API takes are refused, and as many are not.
func TestRun(t *testing.T) {
	s := scene{workers: 50, service: slotted(20, 0, 0, 0), connect: loopback}
	if r := s.run(20, 200*time.Millisecond); r.rate <= 0 || r.refused > 0 || r.failed > 0 {
		t.Errorf("as many as it takes: %+v", r)
	}
	if r := s.run(50, 500*time.Millisecond); r.rate <= 0 || r.refused <= 0 || r.failed > 0 {
		t.Errorf("more than it takes: %+v", r)
	}
}

var virtual = flag.Int("virtual", 0, "rounds of the table in virtual time")

// The table in virtual time, for machines that others use as well: there is no network, and
// the rest is the same. Run it with -v -virtual 5.
func TestVirtualTable(t *testing.T) {
	if *virtual == 0 {
		t.Skip("not asked for: see -virtual")
	}
	all := scenes()
	for i := range all {
		all[i].connect = direct
	}
	synctest.Test(t, func(t *testing.T) { suite(*virtual, all) })
}

// trip is what a request takes on its way in each direction.
const trip = 150 * time.Microsecond

// direct connects to a handler by a function call.
func direct(h http.Handler, _ int) (base http.RoundTripper, url string, over func()) {
	return caller{h}, "http://host/", func() {}
}

type caller struct{ h http.Handler }

func (c caller) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(trip)
	w := httptest.NewRecorder()
	c.h.ServeHTTP(w, r)
	time.Sleep(trip)
	return w.Result(), nil
}

// The scenes do what they say.
func TestScenes(t *testing.T) {
	for _, s := range scenes() {
		s.workers = 12
		r := s.run(8, 300*time.Millisecond)
		if r.rate <= 0 || r.failed > 0 {
			t.Errorf("%s: %+v", s.name, r)
		}
	}
}

func TestCapacityMoves(t *testing.T) {
	h, end := slotted(20, 0, 10, time.Millisecond)()
	a := h.(*api)
	for _, want := range []int64{10, 20, 10} {
		for a.capacity.Load() != want { // the test's own deadline ends it
			time.Sleep(100 * time.Microsecond)
		}
	}
	end()
	n := a.capacity.Load()
	time.Sleep(5 * time.Millisecond)
	if a.capacity.Load() != n {
		t.Error("the capacity changes after the end")
	}
}
