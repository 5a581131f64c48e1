package dash_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

// post returns a request as the page sends it; host is where it goes.
func post(host, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://"+host+"/limit", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", "http://"+host)
	return r
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestControl(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))
	p := pageOf([]*sweetspot.Limiter{l}, dash.Control())
	for _, c := range []struct {
		body   string
		limit  int
		byHand bool
	}{
		{`{"limiter":"work","action":"freeze"}`, 6, true},
		{`{"limiter":"work","action":"set","limit":9}`, 9, true},
		{`{"limiter":"work","action":"auto"}`, 9, false},
		{`{"limiter":"work","action":"set","limit":1}`, 1, true},
	} {
		w := serve(p, post("localhost:8080", c.body))
		a := parse[struct {
			Schema, Limit int
			Manual        bool `json:"manual"`
		}](t, w.Body.Bytes())
		if st := l.Stats(); w.Code != http.StatusOK || st.Limit != c.limit || st.Manual != c.byHand {
			t.Errorf("%s: %d, limit %d, manual %t", c.body, w.Code, st.Limit, st.Manual)
		}
		if a.Schema != 1 || a.Limit != c.limit || a.Manual != c.byHand {
			t.Errorf("%s: %+v", c.body, a)
		}
	}
}

func TestBadOrders(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))
	p := pageOf([]*sweetspot.Limiter{l}, dash.Control())
	for body, want := range map[string]string{
		`{"limiter":"work","action":"set"}`:                      "want a number from 1 to",
		`{"limiter":"work","action":"set","limit":-1}`:           "want a number from 1 to",
		`{"limiter":"work","action":"set","limit":1.5}`:          "cannot unmarshal",
		`{"limiter":"work","action":"set","limit":99999999999}`:  "sweetspot: ",
		`{"limiter":"work","action":"stop"}`:                     "want set, freeze or auto",
		`{"limiter":"work","action":"auto","limit":3}`:           "takes no limit",
		`{"limiter":"other","action":"auto"}`:                    `no Limiter with the id "other"`,
		`{"action":"auto"}`:                                      `no Limiter with the id ""`,
		`{"limiter":"work","action":"set","limit":2,"name":"x"}`: "unknown field",
		`{"limiter":"work","action":"set","limit":2}{"limit":3}`: "more than one value",
		`limiter=work&limit=2`:                                   "invalid character",
		``:                                                       "EOF",
		`{"limiter":"` + strings.Repeat("x", 1<<20) + `"}`:       "too large",
	} {
		w := serve(p, post("127.0.0.1", body))
		if w.Code < 400 || w.Code >= 500 || !strings.HasPrefix(w.Body.String(), "sweetspot: ") || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.80s: %d %s; want %q", body, w.Code, w.Body, want)
		}
	}
	r := post("127.0.0.1", `{"limiter":"work","action":"set","limit":2}`)
	r.Header.Set("Content-Type", "text/plain")
	if w := serve(p, r); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %d", w.Code)
	}
	if st := l.Stats(); st.Limit != 6 || st.Manual {
		t.Errorf("bad orders were carried out: %+v", st)
	}
}

// FuzzOrder sees that what is not an order changes nothing, and that nothing breaks
// the page.
func FuzzOrder(f *testing.F) {
	for _, body := range []string{
		`{"limiter":"work","action":"set","limit":9}`, `{"limiter":"work","action":"freeze"}`, `{"limiter":"work","action":"auto"}`,
		`{"limiter":"work","action":"set","limit":1e3}`, `{"limiter":"\u0000","action":"set"}`, `[]`, `null`, "\xff", `{"limit":{}}`,
	} {
		f.Add(body)
	}
	l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))
	p := pageOf([]*sweetspot.Limiter{l}, dash.Control())
	f.Fuzz(func(t *testing.T, body string) {
		l.SetLimit(6)
		w := serve(p, post("localhost", body))
		st := l.Stats()
		switch {
		case w.Code == http.StatusOK:
			if st.Limit < 1 {
				t.Errorf("%q: limit %d", body, st.Limit)
			}
		case w.Code < 400 || w.Code >= 500 || !strings.HasPrefix(w.Body.String(), "sweetspot: "):
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		case st.Limit != 6 || !st.Manual:
			t.Errorf("%q was refused, and the limit is %d", body, st.Limit)
		}
	})
}

func TestOnlyShows(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))
	order := `{"limiter":"work","action":"set","limit":2}`
	if w := serve(pageOf([]*sweetspot.Limiter{l}), post("localhost", order)); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "dash.Control") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := serve(http.DefaultServeMux, httptest.NewRequest(http.MethodPost, "/debug/sweetspot/limit", nil)); w.Code < 400 {
		t.Errorf("the default page takes orders: %d", w.Code)
	}
	if st := l.Stats(); st.Limit != 6 {
		t.Errorf("limit %d", st.Limit)
	}
}

func TestOtherSitesAreRefused(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))
	p := pageOf([]*sweetspot.Limiter{l}, dash.Control())
	for name, change := range map[string]func(http.Header){
		"another site":        func(h http.Header) { h.Set("Sec-Fetch-Site", "cross-site") },
		"a site beside":       func(h http.Header) { h.Set("Sec-Fetch-Site", "same-site") },
		"an old browser":      func(h http.Header) { h.Del("Sec-Fetch-Site"); h.Set("Origin", "http://evil.example") },
		"a page of no origin": func(h http.Header) { h.Del("Sec-Fetch-Site"); h.Set("Origin", "null") },
	} {
		r := post("localhost:8080", `{"limiter":"work","action":"set","limit":2}`)
		change(r.Header)
		if w := serve(p, r); w.Code != http.StatusForbidden || l.Limit() != 6 {
			t.Errorf("%s: %d, limit %d", name, w.Code, l.Limit())
		}
	}
}

// TestRebinding: a name that an attacker lets point here makes his page and ours
// of one origin, so names must be known.
func TestRebinding(t *testing.T) {
	l := []*sweetspot.Limiter{sweetspot.New(sweetspot.Name("work"), sweetspot.Start(6))}
	order := `{"limiter":"work","action":"freeze"}`
	p := pageOf(l, dash.Control("jobs.example.com"))
	for host, ok := range map[string]bool{
		"localhost": true, "localhost:80": true, "LOCALHOST:80": true, "app.localhost": true, "localhost.": true,
		"127.0.0.1": true, "127.0.0.1:8080": true, "[::1]": true, "[::1]:8080": true, "10.1.2.3:99": true,
		"jobs.example.com": true, "Jobs.Example.com:443": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"xlocalhost": false, "example.com": false, "www.jobs.example.com": false, "": false,
	} {
		r := post("x", order)
		r.Host = host
		r.Header.Set("Origin", "http://"+host)
		if w := serve(p, r); (w.Code == http.StatusOK) != ok {
			t.Errorf("POST to %q: %d", host, w.Code)
		}
		r = httptest.NewRequest(http.MethodGet, "/limiters.json", nil)
		r.Host = host
		if w := serve(p, r); (w.Code == http.StatusOK) != ok {
			t.Errorf("GET from %q: %d", host, w.Code)
		}
		if w := serve(pageOf(l), r); w.Code != http.StatusOK {
			t.Errorf("a page that only shows does not answer to %q: %d", host, w.Code)
		}
	}
}

// TestDotAtTheEnd: a name with and without it is the same host.
func TestDotAtTheEnd(t *testing.T) {
	given := []string{"jobs.example.com.", "batch.example.com"}
	p := pageOf(nil, dash.Control(given...))
	for host, ok := range map[string]bool{
		"jobs.example.com": true, "jobs.example.com.": true, "jobs.example.com:80": true, "JOBS.example.com.:80": true,
		"batch.example.com": true, "batch.example.com.": true, "batch.example.com.:80": true,
		"example.com.": false, ".": false, "": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/limiters.json", nil)
		r.Host = host
		if w := serve(p, r); (w.Code == http.StatusOK) != ok {
			t.Errorf("%q: %d", host, w.Code)
		}
	}
	if given[0] != "jobs.example.com." {
		t.Errorf("Control changed its argument to %q", given[0])
	}
}
