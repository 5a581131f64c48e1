package httplimit_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// slots is a host that takes so many requests at a time and refuses the rest after 1 ms.
type slots struct {
	n       int
	stray   int           // of so many requests one is refused in any case; 0: none
	low     int           // what it takes for 0.3 s after a refusal; 0: n
	servers chan struct{} // those taken wait for one of so many places; nil: there is one for each
	each    time.Duration
	apart   time.Duration // so much longer takes one than that before it, up to 16 times: few end at one instant
	after   int           // s; what refusals ask for

	mu      sync.Mutex
	under   int
	sent    []time.Duration // when the requests came, since began
	refused []time.Duration
	done    int
	began   time.Time
}

func (s *slots) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	at := time.Since(s.began)
	s.sent = append(s.sent, at)
	n := s.n
	if last := len(s.refused) - 1; s.low > 0 && last >= 0 && at-s.refused[last] < 300*time.Millisecond {
		n = s.low
	}
	full := s.under >= n || s.stray > 0 && len(s.sent)%s.stray == 0
	if full {
		s.refused = append(s.refused, at)
	} else {
		s.under++
	}
	after, each := strconv.Itoa(s.after), s.each+s.apart*time.Duration(len(s.sent)%17)
	s.mu.Unlock()
	if full {
		time.Sleep(time.Millisecond)
		return answer(r, http.StatusTooManyRequests, "Retry-After", after), nil
	}
	if s.servers != nil {
		s.servers <- struct{}{}
	}
	time.Sleep(each)
	if s.servers != nil {
		<-s.servers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under--
	s.done++
	return answer(r, http.StatusOK), nil
}

// ask lets so many callers ask until d is over.
func (s *slots) ask(t *testing.T, tr *httplimit.Transport, callers int, d time.Duration) {
	tr.Base, s.began = s, time.Now()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for time.Since(s.began) < d {
				drop(t, tr, "http://h/")
			}
		})
	}
	wg.Wait()
}

// A refusal costs its own place, and not those of the others.
func TestRefusalCostsItsOwnPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(5)
		s := &slots{n: 4, each: 20 * time.Millisecond, after: 10}
		s.ask(t, tr, 6, 55*time.Millisecond)
		ms := time.Millisecond
		// Five at once, of which one is refused. From 1 ms on there are four, each sent when
		// one has ended, until one more is tried at 31 ms. At 60 ms two are left.
		want := []time.Duration{0, 0, 0, 0, 0, 20 * ms, 20 * ms, 20 * ms, 20 * ms, 31 * ms, 40 * ms, 40 * ms, 40 * ms, 40 * ms, 60 * ms, 60 * ms}
		if !slices.Equal(s.sent, want) {
			t.Errorf("sent at %v, want %v", s.sent, want)
		}
		if want := []time.Duration{0, 31 * ms}; !slices.Equal(s.refused, want) {
			t.Errorf("refused at %v, want %v", s.refused, want)
		}
		if st := l.Stats(); st.Overloads != 2 {
			t.Errorf("%d overloads, want 2", st.Overloads)
		}
		inFlight(t, l, 0, "in the end")
	})
}

// A limit that is fixed too high asks for more ever more rarely, down to what the refusals
// say, and all that the host can do is done.
func TestRefusalsAreRareUnderAHighLimit(t *testing.T) {
	for _, after := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			tr, l := fixed(50)
			s := &slots{n: 20, each: 20 * time.Millisecond, apart: 7 * time.Microsecond, after: after}
			s.ask(t, tr, 60, 12*time.Second)
			if want := 12_000 * 95 / 100; s.done < want {
				t.Errorf("Retry-After %d: %d done in 12 s, want %d", after, s.done, want)
			}
			early, _ := slices.BinarySearch(s.refused, 5*time.Second)
			if n := len(s.refused) - early; n > 21/after {
				t.Errorf("Retry-After %d: %d refused after 5 s", after, n)
			}
			inFlight(t, l, 0, "in the end")
		})
	}
}

// What a host was seen to bear is remembered: a burst after a pause is not refused again, and a
// host that bears more by then gets it soon.
func TestCeilingOutlastsAPause(t *testing.T) {
	for _, test := range []struct{ first, then, refused int }{{12, 12, 1}, {12, 50, 0}, {0, 12, 3}} {
		synctest.Test(t, func(t *testing.T) {
			tr, l := fixed(50)
			s := &slots{n: test.first, each: 20 * time.Millisecond, apart: 7 * time.Microsecond, after: 1}
			s.ask(t, tr, 50, 5*time.Second)
			time.Sleep(time.Minute)
			s.n, s.refused, s.done = test.then, nil, 0
			s.ask(t, tr, 50, 500*time.Millisecond)
			if len(s.refused) > test.refused || s.done < 25*test.then*7/10 {
				t.Errorf("%d, then %d slots: %d refused after a pause, want %d; %d done", test.first, test.then, len(s.refused), test.refused, s.done)
			}
			inFlight(t, l, 0, "in the end")
		})
	}
}

// Refusals that come whatever is under way do not hold a host down, however long they ask for.
func TestStrayRefusals(t *testing.T) {
	for _, after := range []int{1, 10, 30} {
		synctest.Test(t, func(t *testing.T) {
			tr, l := fixed(12)
			s := &slots{n: 12, stray: 100, each: 20 * time.Millisecond, apart: 7 * time.Microsecond, after: after}
			s.ask(t, tr, 12, 20*time.Second)
			if want := 600 * 20 * 65 / 100; s.done < want {
				t.Errorf("one in a hundred is refused, Retry-After %d: %d done in 20 s, want %d", after, s.done, want)
			}
			inFlight(t, l, 0, "in the end")
		})
	}
}

// Permits whose requests only wait do not raise the limit: it settles near what the host takes.
func TestLimitStandsNearWhatIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New()
		tr := &httplimit.Transport{NewLimiter: func(string) *sweetspot.Limiter { return l }}
		s := &slots{n: 12, each: 20 * time.Millisecond, apart: 7 * time.Microsecond, after: 1}
		var sum, n int
		var wg sync.WaitGroup
		wg.Go(func() {
			for time.Sleep(5 * time.Second); n < 1000; time.Sleep(10 * time.Millisecond) {
				sum, n = sum+l.Limit(), n+1
			}
		})
		s.ask(t, tr, 200, 15*time.Second)
		wg.Wait()
		if sum > 24*n || s.done < 9_000*95/100 || len(s.refused) > 50 {
			t.Errorf("12 slots: limit %d on average; %d done and %d refused in 15 s", sum/n, s.done, len(s.refused))
		}
		inFlight(t, l, 0, "in the end")
	})
}

// The law judges a limit by the share that is refused: it hears of each refusal.
func TestEachRefusalIsAnOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(30)
		s := &slots{n: 20, each: 20 * time.Millisecond, after: 1}
		s.ask(t, tr, 30, time.Nanosecond)
		if st := l.Stats(); st.Completed != 20 || st.Overloads != 10 || st.Ignored != 0 {
			t.Errorf("%d done, %d overloads, %d ignored; want 20, 10, 0", st.Completed, st.Overloads, st.Ignored)
		}
	})
}

// A host lets 36 requests in, of which ten are served at a time, and only 13 for 0.3 s after each
// refusal, as a [httplimit.Server] does whose queue is full. A limit of 50 is too high for it,
// though its permits are seldom all in use: the law finds that.
func TestLawComesDownToAQueueThatShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sweetspot.New(sweetspot.Controller(control.NewOverload(control.NewFixed(50))))
		tr := &httplimit.Transport{NewLimiter: func(string) *sweetspot.Limiter { return l }}
		s := &slots{n: 36, low: 13, servers: make(chan struct{}, 10), each: 100 * time.Millisecond, after: 1}
		s.ask(t, tr, 50, time.Minute)
		early, _ := slices.BinarySearch(s.refused, 10*time.Second)
		if share := float64(len(s.refused)-early) / float64(s.done); share > 0.03 || s.done < 95*60 {
			t.Errorf("%.1f %% refused after 10 s, %d done in a minute, limit %d", 100*share, s.done, l.Limit())
		}
	})
}

// A host that refuses all, or nearly all, is left alone for as long as it asks.
func TestOverloadedHostIsLeftAlone(t *testing.T) {
	for _, n := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			tr, l := fixed(30)
			s := &slots{n: n, each: 2 * time.Millisecond, after: 2}
			s.ask(t, tr, 40, 20*time.Second)
			var pauses int
			for i := 1; i < len(s.sent); i++ {
				if s.sent[i]-s.sent[i-1] >= time.Second {
					pauses++
				}
			}
			if n == 0 && pauses < 10 {
				t.Errorf("nothing is served: %d pauses in 20 s, sent %d", pauses, len(s.sent))
			}
			// Waves of 30 at 0, 2, … 20 s, and at 22 s those who had not been let in.
			if most := 11*30 + 10; n == 0 && len(s.sent) > most {
				t.Errorf("nothing is served: %d sent, want %d at most", len(s.sent), most)
			}
			if n == 1 && len(s.refused) > 400 {
				t.Errorf("one is served at a time: %d refused, %d done", len(s.refused), s.done)
			}
			inFlight(t, l, 0, "in the end")
		})
	}
}

// One request that is under way for long does not keep others from heeding what refusals ask
// for, however seldom they come.
func TestRetryAfterIsHeededBesideAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(10)
		tr.Base = trip(func(r *http.Request) (*http.Response, error) { return answer(r, http.StatusOK), nil })
		stream, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
		if err != nil {
			t.Fatal(err)
		}
		s := &slots{n: 0, after: 20}
		tr.Base, s.began = s, time.Now()
		for time.Since(s.began) < 10*time.Minute {
			drop(t, tr, "http://h/")
			time.Sleep(time.Second)
		}
		// Some ten until the holds are as long as what is asked for, and one every 20 s.
		if n := len(s.sent); n > 12+30 {
			t.Errorf("sent %d times in 10 min, and each refusal asks for 20 s", n)
		}
		stream.Body.Close()
		inFlight(t, l, 0, "in the end")
	})
}

// Who waits under the ceiling may go, and holds up nobody.
func TestWaitUnderTheCeilingEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(5)
		s := &slots{n: 4, each: time.Second, after: 10, began: time.Now()}
		tr.Base = s
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { drop(t, tr, "http://h/") })
		}
		time.Sleep(5 * time.Millisecond) // one is refused
		why := errors.New("no longer wanted")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
		defer cancel()
		body := &closing{}
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://h/", body)
		if _, err := tr.RoundTrip(r); err != why {
			t.Errorf("error %v, want the context's cause", err)
		}
		if !body.closed.Load() {
			t.Error("the body of a request that was not sent is not closed")
		}
		inFlight(t, l, 4, "when it has gone")
		wg.Wait()
		if len(s.sent) != 5 {
			t.Errorf("%d sent, want 5", len(s.sent))
		}
		inFlight(t, l, 0, "in the end")
		drop(t, tr, "http://h/")
		if s.done != 5 {
			t.Errorf("%d done, want 5", s.done)
		}
	})
}

// A hold that becomes shorter, or ends in a pause of the host, is so for who waits already.
func TestWaitUnderTheCeilingIsNoLongerThanIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(2)
		s := &slots{n: 1, each: 20 * time.Millisecond, after: 30, began: time.Now()}
		tr.Base = s
		const warm = 40 * time.Second // until holds are long
		var longest time.Duration
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for status := http.StatusOK; time.Since(s.began) < warm || status == http.StatusOK; {
					began := time.Now()
					resp, err := tr.RoundTrip(get(t, t.Context(), "http://h/"))
					if err != nil {
						t.Error(err)
						return
					}
					status = resp.StatusCode
					resp.Body.Close()
					mu.Lock()
					if began.Sub(s.began) > warm-time.Second {
						longest = max(longest, time.Since(began))
					}
					mu.Unlock()
				}
			})
		}
		time.Sleep(warm)
		s.mu.Lock()
		s.n, s.after = 0, 1
		s.mu.Unlock()
		wg.Wait()
		// The one that was refused told the other to wait for 1 s.
		if want := 1100 * time.Millisecond; longest > want {
			t.Errorf("a request took %v, want %v at most", longest, want)
		}
		inFlight(t, l, 0, "in the end")
	})
}

// No request that was told to wait is sent again before its time.
func TestRetriesKeepToTheirOwnRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, l := fixed(30)
		tr.Retries = 10
		s := &slots{n: 20, each: 20 * time.Millisecond, after: 1, began: time.Now()}
		var mu sync.Mutex
		told := make(map[string]time.Time) // when a request may come again
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			id := r.Header.Get("Id")
			mu.Lock()
			if at := told[id]; time.Now().Before(at) {
				t.Errorf("sent again %v before its time", time.Until(at))
			}
			mu.Unlock()
			resp, err := s.RoundTrip(r)
			if resp.StatusCode != http.StatusOK {
				mu.Lock()
				told[id] = time.Now().Add(time.Second)
				mu.Unlock()
			}
			return resp, err
		})
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				for j := range 50 {
					r := get(t, t.Context(), "http://h/")
					r.Header.Set("Id", strconv.Itoa(100*i+j))
					resp, err := tr.RoundTrip(r)
					if err != nil || resp.StatusCode != http.StatusOK {
						t.Errorf("%v, %v", resp, err)
						return
					}
					resp.Body.Close()
				}
			})
		}
		wg.Wait()
		if len(told) == 0 {
			t.Error("nothing was refused")
		}
		inFlight(t, l, 0, "in the end")
	})
}

// The law finds what the host takes, though refusals ask for two seconds.
func TestSearchWithRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &httplimit.Transport{NewLimiter: func(string) *sweetspot.Limiter { return sweetspot.New() }}
		s := &slots{n: 20, each: 20 * time.Millisecond, after: 2}
		s.ask(t, tr, 50, 8*time.Second)
		if want := 8_000 * 80 / 100; s.done < want {
			t.Errorf("%d done in 8 s, want %d", s.done, want)
		}
		early, _ := slices.BinarySearch(s.refused, 5*time.Second)
		if share := float64(len(s.refused)-early) / float64(s.done); share > 0.02 {
			t.Errorf("%.1f %% refused after 5 s", 100*share)
		}
	})
}
