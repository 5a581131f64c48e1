package httplimit_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/httplimit"
)

func ok(r *http.Request) (*http.Response, error) { return answer(r, http.StatusOK), nil }

func TestHostsAreNamed(t *testing.T) {
	var names []string
	tr := &httplimit.Transport{Base: trip(ok)}
	tr.NewLimiter = func(host string) *sweetspot.Limiter {
		names = append(names, host)
		return sweetspot.New()
	}
	for _, url := range []string{
		"http://a.example/x", "http://A.Example:80/y", "https://a.example:443", "https://a.example",
		"http://a.example:8080", "https://a.example:80", "http://[::1]:80", "http://[::1]/z",
	} {
		drop(t, tr, url)
	}
	want := []string{"a.example", "a.example:8080", "a.example:80", "[::1]"}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("Limiters for %v, want %v", names, want)
	}
	if tr.Limiter("a.example") == nil || tr.Limiter("a.example:8080") == tr.Limiter("a.example") || tr.Limiter("b.example") != nil {
		t.Error("Limiter returns another than that of the host")
	}
}

func TestDefaultLimiterHasTheNameOfItsHost(t *testing.T) {
	tr := &httplimit.Transport{Base: trip(ok)}
	drop(t, tr, "http://h:81/")
	if l := tr.Limiter("h:81"); l == nil || l.Name() != "h:81" {
		t.Errorf("the Limiter is %v", l)
	}
}

func TestHostsAreForgottenWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &httplimit.Transport{Base: trip(ok), IdleTimeout: time.Minute}
		drop(t, tr, "http://a/")
		drop(t, tr, "http://b/")
		a := tr.Limiter("a")
		time.Sleep(59 * time.Second)
		drop(t, tr, "http://a/")
		if tr.Limiter("a") != a {
			t.Error("forgotten before its time")
		}
		time.Sleep(2 * time.Second)
		drop(t, tr, "http://a/")
		if tr.Limiter("a") != a {
			t.Error("forgotten while in use")
		}
		if tr.Limiter("b") != nil {
			t.Error("still known after a minute without requests")
		}
		time.Sleep(61 * time.Second)
		drop(t, tr, "http://a/")
		if l := tr.Limiter("a"); l == a || l == nil {
			t.Error("not begun anew after a minute without requests")
		}
	})
}

func TestHostsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		tr := &httplimit.Transport{Base: trip(ok), MaxHosts: 3}
		tr.NewLimiter = func(string) *sweetspot.Limiter { made++; return sweetspot.New() }
		// One that has a response open is not forgotten, however long ago it began.
		open, err := tr.RoundTrip(get(t, t.Context(), "http://open/"))
		if err != nil {
			t.Fatal(err)
		}
		kept := tr.Limiter("open")
		known := func() (n int) {
			for i := range 20 {
				if tr.Limiter(fmt.Sprint("h", i)) != nil {
					n++
				}
			}
			return n
		}
		for i := range 20 {
			time.Sleep(time.Second)
			drop(t, tr, fmt.Sprintf("http://h%d/", i))
			if n := known(); n > 2 {
				t.Fatalf("%d hosts known besides one in use, want 2", n)
			}
		}
		if tr.Limiter("h19") == nil || tr.Limiter("h18") == nil {
			t.Error("the newest are not known")
		}
		if tr.Limiter("open") != kept {
			t.Error("a host in use was forgotten")
		}
		time.Sleep(time.Second)
		drop(t, tr, "http://h18/") // now h19 is the one to go
		drop(t, tr, "http://h20/")
		if tr.Limiter("h18") == nil || tr.Limiter("h19") != nil {
			t.Error("not the one that was idle for longest was forgotten")
		}
		open.Body.Close()
		if made != 22 {
			t.Errorf("%d Limiters made, want 22", made)
		}
	})
}

// Hosts in use are more than MaxHosts only for as long as they are in use: the next new one
// takes the place of all that are too many.
func TestHostsAreBoundedAfterTheirUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &httplimit.Transport{Base: trip(ok), MaxHosts: 3}
		var open []*http.Response
		for i := range 20 {
			resp, err := tr.RoundTrip(get(t, t.Context(), fmt.Sprintf("http://h%d/", i)))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, resp)
		}
		for _, resp := range open[1:] {
			time.Sleep(time.Second)
			resp.Body.Close()
		}
		drop(t, tr, "http://new/")
		for i := range 20 {
			if want := i == 0 || i == 19; (tr.Limiter(fmt.Sprint("h", i)) != nil) != want {
				t.Errorf("host %d: known %t, want the one in use and the one that was so last", i, !want)
			}
		}
		open[0].Body.Close()
	})
}

// While a host pauses it is not idle: who forgets it forgets its Retry-After.
func TestHostsThatPauseAreKept(t *testing.T) {
	for _, test := range []struct {
		name  string
		tr    *httplimit.Transport
		burst int // hosts that are in use when the refusal comes
		after time.Duration
		since func(*testing.T, *httplimit.Transport) // the refusal
	}{
		{"others come", &httplimit.Transport{MaxHosts: 3}, 0, 20 * time.Second, func(t *testing.T, tr *httplimit.Transport) {
			for i := range 5 {
				time.Sleep(time.Second)
				drop(t, tr, fmt.Sprintf("http://h%d/", i))
			}
		}},
		{"others were many", &httplimit.Transport{MaxHosts: 3}, 5, 20 * time.Second, func(t *testing.T, tr *httplimit.Transport) {
			drop(t, tr, "http://new/")
		}},
		{"longer than hosts are remembered", &httplimit.Transport{MaxPause: time.Hour}, 0, 30 * time.Minute, func(t *testing.T, tr *httplimit.Transport) {
			time.Sleep(11 * time.Minute)
			drop(t, tr, "http://other/") // looks for hosts to forget
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := newLog()
				tr := test.tr
				tr.NewLimiter = func(string) *sweetspot.Limiter { return nil }
				tr.Base = trip(func(r *http.Request) (*http.Response, error) {
					if r.URL.Host == "a" && log.note() == 1 {
						return answer(r, http.StatusTooManyRequests, "Retry-After", fmt.Sprint(test.after.Seconds())), nil
					}
					return ok(r)
				})
				var open []*http.Response
				for i := range test.burst {
					resp, err := tr.RoundTrip(get(t, t.Context(), fmt.Sprintf("http://b%d/", i)))
					if err != nil {
						t.Fatal(err)
					}
					open = append(open, resp)
				}
				drop(t, tr, "http://a/")
				for _, resp := range open {
					time.Sleep(time.Second)
					resp.Body.Close()
				}
				test.since(t, tr)
				drop(t, tr, "http://a/")
				if want := []time.Duration{0, test.after}; !slices.Equal(log.sent, want) {
					t.Errorf("sent at %v, want %v", log.sent, want)
				}
			})
		})
	}
}

// What was learnt of a host is kept for IdleTimeout after its pause, not only until that ends.
func TestHostsAreRememberedAfterTheirPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &httplimit.Transport{IdleTimeout: time.Minute, MaxPause: time.Hour}
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			return answer(r, http.StatusTooManyRequests, "Retry-After", "600"), nil
		})
		drop(t, tr, "http://a/")
		a := tr.Limiter("a")
		time.Sleep(659 * time.Second)
		drop(t, tr, "http://a/")
		if tr.Limiter("a") != a {
			t.Error("begun anew within a minute after the pause")
		}
		time.Sleep(661 * time.Second)
		drop(t, tr, "http://a/")
		if l := tr.Limiter("a"); l == a || l == nil {
			t.Error("not begun anew more than a minute after the pause")
		}
	})
}

// MaxHosts is a bound for those that pause, too: the one whose pause ends first is the one to go.
func TestHostsThatPauseAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &httplimit.Transport{MaxHosts: 2}
		after := map[string]string{"a": "20", "b": "10"}
		tr.Base = trip(func(r *http.Request) (*http.Response, error) {
			return answer(r, http.StatusTooManyRequests, "Retry-After", after[r.URL.Host]), nil
		})
		drop(t, tr, "http://a/")
		time.Sleep(time.Second)
		drop(t, tr, "http://b/")
		drop(t, tr, "http://c/")
		if tr.Limiter("a") == nil || tr.Limiter("b") != nil || tr.Limiter("c") == nil {
			t.Error("not the one whose pause ends first was forgotten")
		}
	})
}

func TestManyHostsAtATime(t *testing.T) {
	tr := &httplimit.Transport{Base: trip(ok), MaxHosts: 5, IdleTimeout: time.Nanosecond}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				drop(t, tr, fmt.Sprintf("http://h%d/", (g+i)%20))
			}
		})
	}
	wg.Wait()
	n := 0
	for i := range 20 {
		if l := tr.Limiter(fmt.Sprint("h", i)); l != nil {
			n++
			inFlight(t, l, 0, "in the end")
		}
	}
	if n > 8 {
		t.Errorf("%d hosts known, want at most those that were in use at a time", n)
	}
}

func TestNewLimiterMayAskForLimiters(t *testing.T) {
	tr := &httplimit.Transport{Base: trip(ok)}
	tr.NewLimiter = func(host string) *sweetspot.Limiter {
		asked := make(chan *sweetspot.Limiter, 1)
		go func() { asked <- tr.Limiter("shared") }()
		select {
		case l := <-asked:
			if l != nil {
				return l
			}
		case <-time.After(10 * time.Second): // only ever waited for by a test that fails
			t.Errorf("Limiter waits for the NewLimiter of %q", host)
		}
		return sweetspot.New()
	}
	drop(t, tr, "http://shared/")
	drop(t, tr, "http://other/")
	if l := tr.Limiter("shared"); l == nil || tr.Limiter("other") != l {
		t.Error("NewLimiter could not share a Limiter")
	}
}

// Of the Limiters made for one host at a time one is used.
func TestFirstLimiterOfAHostIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 5
		asked := 0
		var mu sync.Mutex
		var started atomic.Int64
		tr := &httplimit.Transport{
			NewLimiter: func(string) *sweetspot.Limiter {
				mu.Lock()
				asked++
				d := time.Duration(asked) * time.Second
				mu.Unlock()
				time.Sleep(d)
				return setTo(sweetspot.New(), n)
			},
			Base: trip(func(r *http.Request) (*http.Response, error) {
				started.Add(1)
				time.Sleep(time.Minute)
				return ok(r)
			}),
		}
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() { drop(t, tr, "http://a/") })
		}
		time.Sleep(30 * time.Second)
		l := tr.Limiter("a")
		if started.Load() != n || l == nil {
			t.Fatalf("%d requests under way, Limiter %v", started.Load(), l)
		}
		inFlight(t, l, n, "by the requests")
		wg.Wait()
		inFlight(t, l, 0, "at the end")
	})
}
