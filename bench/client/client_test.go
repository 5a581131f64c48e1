package client

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
	synctest.Test(t, func(t *testing.T) {
		s := scene{workers: 50, service: slotted(20, 0, 0, 0)}
		if r := s.run(20, 200*time.Millisecond); r.rate <= 0 || r.refused > 0 || r.failed > 0 {
			t.Errorf("as many as it takes: %+v", r)
		}
		if r := s.run(50, 500*time.Millisecond); r.rate <= 0 || r.refused <= 0 || r.failed > 0 {
			t.Errorf("more than it takes: %+v", r)
		}
	})
}

var virtual = flag.Int("virtual", 0, "rounds of the table in virtual time")

// The table of the README. Run it with -v -virtual 7.
func TestVirtualTable(t *testing.T) {
	if *virtual == 0 {
		t.Skip("not asked for: see -virtual")
	}
	synctest.Test(t, func(t *testing.T) { suite(*virtual, scenes()) })
}

// The scenes do what they say.
func TestScenes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, s := range scenes() {
			s.workers = 12
			r := s.run(8, 300*time.Millisecond)
			if r.rate <= 0 || r.failed > 0 {
				t.Errorf("%s: %+v", s.about, r)
			}
		}
	})
}

func TestCapacityMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, end := slotted(20, 0, 10, time.Second)()
		a := h.(*api)
		time.Sleep(500 * time.Millisecond)
		for _, want := range []int64{20, 10, 20} {
			if got := a.capacity.Load(); got != want {
				t.Errorf("capacity %d, want %d", got, want)
			}
			time.Sleep(time.Second)
		}
		end() // or else the bubble does not end
	})
}
