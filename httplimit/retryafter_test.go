package httplimit_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

// A log tells when requests were sent.
type log struct {
	mu    sync.Mutex
	began time.Time
	sent  []time.Duration
}

func newLog() *log { return &log{began: time.Now()} }

func (l *log) note() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, time.Since(l.began))
	return len(l.sent)
}

// drop sends a request and closes the body of the response.
func drop(t *testing.T, tr *httplimit.Transport, url string) {
	t.Helper()
	resp, err := tr.RoundTrip(get(t, context.Background(), url))
	if err != nil {
		t.Error(err)
		return
	}
	resp.Body.Close()
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	// Bubbles begin at this time.
	began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"seconds", []string{"Retry-After", "7"}, 7 * time.Second},
		{"none", nil, 0},
		{"zero", []string{"Retry-After", "0"}, 0},
		{"a date", []string{"Retry-After", began.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second},
		{"a date by another clock", []string{
			"Retry-After", began.Add(time.Hour).Format(http.TimeFormat),
			"Date", began.Add(time.Hour - 4*time.Second).Format(http.TimeFormat),
		}, 4 * time.Second},
		{"a date gone by", []string{"Retry-After", began.Add(-time.Hour).Format(http.TimeFormat)}, 0},
		{"too long", []string{"Retry-After", "3600"}, 20 * time.Second},
		{"far too long", []string{"Retry-After", "99999999999999999999999999"}, 20 * time.Second},
		{"negative", []string{"Retry-After", "-5"}, 0},
		{"words", []string{"Retry-After", "soon"}, 0},
		{"a fraction", []string{"Retry-After", "1.5"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := newLog()
				tr := &httplimit.Transport{MaxPause: 20 * time.Second}
				tr.Base = trip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Host == "h" && log.note() == 1 {
						return answer(r, http.StatusTooManyRequests, test.header...), nil
					}
					return answer(r, http.StatusOK), nil
				})
				drop(t, tr, "http://h/")
				drop(t, tr, "http://other/")
				if d := time.Since(log.began); d != 0 {
					t.Errorf("another host waited for %v", d)
				}
				drop(t, tr, "http://h/")
				if want := []time.Duration{0, test.want}; !slices.Equal(log.sent, want) {
					t.Errorf("sent at %v, want %v", log.sent, want)
				}
			})
		})
	}
}

// Who queues for a permit when the pause begins waits for its end, too, and
// without a permit.
func TestPauseHoldsBackTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		tr, l := fixed(1)
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			first := log.note() == 1
			time.Sleep(100 * time.Millisecond)
			if first {
				return answer(r, http.StatusServiceUnavailable, "Retry-After", "5"), nil
			}
			return answer(r, http.StatusOK), nil
		})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { drop(t, tr, "http://h/") })
		}
		time.Sleep(2 * time.Second)
		if s := l.Stats(); s.InFlight != 0 || s.Waiting != 0 {
			t.Errorf("%d permits held and %d waited for in a pause", s.InFlight, s.Waiting)
		}
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errors.New("too late"))
		defer cancel()
		if _, err := tr.RoundTrip(get(t, ctx, "http://h/")); err == nil || err.Error() != "too late" {
			t.Errorf("error %v, want the cause", err)
		}
		wg.Wait()
		want := []time.Duration{0, 5100 * time.Millisecond, 5200 * time.Millisecond}
		if !slices.Equal(log.sent, want) {
			t.Errorf("sent at %v, want %v", log.sent, want)
		}
	})
}

// Refusals without a word about when to come back make the host pause as soon as
// they follow each other.
func TestRefusalsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		tr, _ := fixed(1)
		status := http.StatusTooManyRequests
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			log.note()
			return answer(r, status), nil
		})
		for range 12 {
			drop(t, tr, "http://h/")
		}
		ms := time.Millisecond
		var gaps []time.Duration
		for i := 1; i < len(log.sent); i++ {
			gaps = append(gaps, log.sent[i]-log.sent[i-1])
		}
		want := []time.Duration{0, 5 * ms, 10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1000 * ms, 1000 * ms}
		if !slices.Equal(gaps, want) {
			t.Errorf("sent after %v, want %v", gaps, want)
		}

		status = http.StatusOK
		drop(t, tr, "http://h/")
		log.began, log.sent = time.Now(), nil
		status = http.StatusTooManyRequests
		drop(t, tr, "http://h/")
		drop(t, tr, "http://h/")
		if want := []time.Duration{0, 0}; !slices.Equal(log.sent, want) {
			t.Errorf("after a success, sent at %v, want %v", log.sent, want)
		}
	})
}

// Requests that were under way together say no more than one of them.
func TestRefusalsAtATimeAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		tr, _ := fixed(20)
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			log.note()
			time.Sleep(time.Millisecond)
			return answer(r, http.StatusTooManyRequests), nil
		})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { drop(t, tr, "http://h/") })
		}
		wg.Wait()
		drop(t, tr, "http://h/")
		if at := log.sent[20]; at != time.Millisecond {
			t.Errorf("sent at %v, want no pause", at)
		}
	})
}

func TestPauseWithoutLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog()
		tr := &httplimit.Transport{NewLimiter: func(string) *sweetspot.Limiter { return nil }}
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			log.note()
			return answer(r, http.StatusTooManyRequests, "Retry-After", "1"), nil
		})
		drop(t, tr, "http://h/")
		drop(t, tr, "http://h/")
		if want := []time.Duration{0, time.Second}; !slices.Equal(log.sent, want) {
			t.Errorf("sent at %v, want %v", log.sent, want)
		}
		if tr.Limiter("h") != nil {
			t.Error("a host without Limiter has one")
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "120", "-1", "99999999999999999999", "1e9", "Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "\x00"} {
		f.Add(s, "")
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		h := http.Header{"Retry-After": {after}, "Date": {date}}
		if d := httplimit.RetryAfter(h); d < 0 {
			t.Errorf("%q at %q is %v", after, date, d)
		}
	})
}
