package run_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

func TestUIFlag(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080", "0": "127.0.0.1:0", "localhost:80": "localhost:80",
		"0.0.0.0:99": "0.0.0.0:99", "[::1]:8080": "[::1]:8080", "jobs.example.com:8080": "jobs.example.com:8080",
	} {
		if got, err := run.UI(text); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "localhost", "localhost:", "127.0.0.1", "::1", "1:2:3", "65536", "-1", "08", "http://localhost:80", "a b:80", ":http"} {
		if got, err := run.UI(text); err == nil || !strings.Contains(err.Error(), "want 8080") {
			t.Errorf("%q: %q, %v; want an error that says what is right", text, got, err)
		}
	}
}

func TestUI(t *testing.T) {
	l := sweetspot.New(sweetspot.Name("TestUI"), sweetspot.Start(3))
	var said bytes.Buffer
	stop, err := run.OpenUI("0", &said)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	m := regexp.MustCompile(`^The live page is at (http://127\.0\.0\.1:\d+/) .*at (http://\S+/)\n$`).FindStringSubmatch(said.String())
	if m == nil || !strings.HasPrefix(m[2], m[1]) || len(m[2]) < len(m[1])+20 {
		t.Fatalf("it said %q", &said)
	}
	look, control := m[1], m[2]
	for _, url := range []string{look, control} {
		if status, body := fetch(t, url); status != http.StatusOK || !strings.Contains(body, "<title>sweetspot") {
			t.Errorf("%s: %d %.100s", url, status, body)
		}
		if _, body := fetch(t, url+"limiters.json"); !strings.Contains(body, `"TestUI"`) {
			t.Errorf("%s: %s", url, body)
		}
	}
	for url, want := range map[string]int{look: http.StatusForbidden, look + "guess/": http.StatusForbidden, control: http.StatusOK} {
		before := l.Limit()
		r, err := http.Post(url+"limit", "application/json", strings.NewReader(`{"limiter":"TestUI","action":"set","limit":7}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if set := l.Limit() == 7 && before != 7; r.StatusCode != want || set != (want == http.StatusOK) {
			t.Errorf("%s: %d, limit %d", url, r.StatusCode, l.Limit())
		}
		l.SetLimit(3)
	}
}

// TestUIEndsWithTheRun: with readers that never go, nothing is left.
func TestUIEndsWithTheRun(t *testing.T) {
	client := &http.Client{Transport: &http.Transport{}}
	before := runtime.NumGoroutine()
	var said bytes.Buffer
	stop, err := run.OpenUI("localhost:0", &said)
	if err != nil {
		t.Fatal(err)
	}
	url := regexp.MustCompile(`http://\S+/`).FindString(said.String())
	var streams []io.ReadCloser
	for range 3 {
		r, err := client.Get(url + "events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		streams = append(streams, r.Body)
		if _, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	for _, body := range streams {
		if _, err := io.Copy(io.Discard, body); err != nil {
			t.Errorf("a stream was cut off: %v", err)
		}
		body.Close()
	}
	client.CloseIdleConnections()
	if r, err := client.Get(url); err == nil {
		r.Body.Close()
		t.Error("it goes on serving")
	}
	for range 6000 { // the client's own goroutines need a moment
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
}

func TestUITakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = run.OpenUI(l.Addr().String(), io.Discard)
	if err == nil || !strings.HasPrefix(err.Error(), "--ui: cannot serve at "+l.Addr().String()+": ") {
		t.Errorf("%v", err)
	}
}

func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}
