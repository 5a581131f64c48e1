package dash_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/dash"
)

// pageOf returns a page of these Limiters only.
func pageOf(l []*sweetspot.Limiter, opts ...dash.Option) *dash.Page {
	p := dash.Handler(opts...)
	p.Show(func() []*sweetspot.Limiter { return l })
	return p
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

func TestPageIsAnywhere(t *testing.T) {
	p := dash.Handler()
	mux := http.NewServeMux()
	mux.Handle("/limits/", p)
	mux.Handle("/ops/limits/", http.StripPrefix("/ops/limits", p))
	for _, h := range []struct {
		handler http.Handler
		path    string
	}{{p, "/"}, {mux, "/limits/"}, {mux, "/ops/limits/"}, {http.DefaultServeMux, "/debug/sweetspot/"}} {
		for name, kind := range map[string]string{
			"": "text/html", "page.js": "text/javascript", "page.css": "text/css", "uPlot.iife.min.js": "text/javascript",
			"uPlot.min.css": "text/css", "icon.svg": "image/svg+xml", "LICENSE": "text/plain", "limiters.json": "application/json",
		} {
			w := get(h.handler, h.path+name)
			if got := w.Header().Get("Content-Type"); w.Code != http.StatusOK || !strings.HasPrefix(got, kind) || w.Body.Len() == 0 {
				t.Errorf("%s%s: %d, %s, %d bytes; want 200, %s", h.path, name, w.Code, got, w.Body.Len(), kind)
			}
		}
		if w := get(h.handler, h.path+"other"); w.Code != http.StatusNotFound {
			t.Errorf("%sother: %d", h.path, w.Code)
		}
	}
	if w := get(http.DefaultServeMux, "/debug/sweetspot"); w.Header().Get("Location") != "/debug/sweetspot/" {
		t.Errorf("without a slash: %d, %v", w.Code, w.Header())
	}
}

func TestFilesAreKeptByBrowsers(t *testing.T) {
	p := dash.Handler()
	r := httptest.NewRequest(http.MethodGet, "/page.js", nil)
	r.Header.Set("If-None-Match", get(p, "/page.js").Header().Get("ETag"))
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	if w.Code != http.StatusNotModified {
		t.Errorf("%d, want 304", w.Code)
	}
}

func TestMethods(t *testing.T) {
	p := dash.Handler(dash.Control("example.com"))
	for _, c := range []struct{ method, path, allow string }{
		{http.MethodPost, "/", "GET, HEAD"},
		{http.MethodDelete, "/events", "GET, HEAD"},
		{http.MethodPut, "/limiters.json", "GET, HEAD"},
		{http.MethodGet, "/limit", "POST"},
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q", c.method, c.path, w.Code, w.Header().Get("Allow"))
		}
	}
	for _, path := range []string{"/", "/events", "/limiters.json"} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(http.MethodHead, path, nil))
		if w.Code != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, w.Code)
		}
	}
}

// TestNothingInline sees that the page keeps to its own policy.
func TestNothingInline(t *testing.T) {
	w := get(dash.Handler(), "/")
	policy := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
	html := w.Body.String()
	for _, m := range regexp.MustCompile(`<script[^>]*>`).FindAllString(html, -1) {
		if !strings.Contains(m, " src=") {
			t.Errorf("inline: %s", m)
		}
	}
	if m := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|https?:`).FindString(html); m != "" {
		t.Errorf("the page has %q", m)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, f := range map[string]func(){
		"option 1 of 1 is nil":         func() { dash.Handler(nil) },
		`host 2 is "jobs.example:80"`:  func() { dash.Control("localhost", "jobs.example:80") },
		`host 1 is ""`:                 func() { dash.Control("") },
		`host 1 is "."`:                func() { dash.Control(".") },
		`host 1 is "http://jobs.test"`: func() { dash.Control("http://jobs.test") },
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, name) || !strings.HasPrefix(v, "sweetspot: ") {
					t.Errorf("panic %q, want %q", v, name)
				}
			}()
			f()
		}()
	}
}

type overview struct {
	Schema   int
	Program  string
	Control  bool
	Time     int64
	Limiters []struct {
		ID, Name, Why string
		Limit         int
		InFlight      int `json:"in_flight"`
		Waiting       int
		Manual        bool `json:"manual"`
		Rate          *float64
		OwnCPU        *float64 `json:"own_cpu"`
		CPUs          *float64
		Completed     int64
		Active        float64
		Decisions     int64
	}
}

func (o overview) ids() []string {
	var ids []string
	for _, l := range o.Limiters {
		ids = append(ids, l.ID)
	}
	return ids
}

type account struct {
	Schema     int
	Limiter    string
	Time       []int64
	Limit      []int
	InFlight   []int `json:"in_flight"`
	Waiting    []int
	Rate       []*float64
	OwnCPU     []*float64 `json:"own_cpu"`
	MachineCPU []*float64 `json:"machine_cpu"`
	Changes    []change
}

type change struct {
	Seq       int64
	Time      *int64
	Active    float64
	From, To  int
	Kind, Why string
}

func parse[T any](t *testing.T, data []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return v
}

func TestLimitersJSON(t *testing.T) {
	a := setTo(sweetspot.New(sweetspot.Name("a")), 3)
	b := sweetspot.New(sweetspot.Name("b"))
	twin := sweetspot.New(sweetspot.Name("a"))
	p := pageOf([]*sweetspot.Limiter{a, b, twin})
	if err := a.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	o := parse[overview](t, get(p, "/limiters.json").Body.Bytes())
	if got, want := o.ids(), []string{"a", "b", "a~2"}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if l := o.Limiters[0]; o.Schema != 1 || o.Control || o.Program == "" || l.Limit != 3 || l.InFlight != 1 || !l.Manual {
		t.Errorf("%+v", o)
	}
	if l := o.Limiters[2]; l.Name != "a" || l.Manual || l.OwnCPU != nil || l.CPUs != nil || *l.Rate != 0 {
		t.Errorf("%+v", l)
	}
	if w := get(p, "/history.json?limiter=c"); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"c"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestNamedLimitersShow goes without what the other tests replace.
func TestNamedLimitersShow(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("TestNamedLimitersShow"))
	o := parse[overview](t, get(dash.Handler(), "/limiters.json").Body.Bytes())
	if !slices.Contains(o.ids(), l.Name()) {
		t.Errorf("%q", o.ids())
	}
}
