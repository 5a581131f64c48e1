package recording_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/recording"
)

// served answers as a program with net/http/pprof, but for some paths of it.
func served(t *testing.T, instead map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	all := map[string]http.HandlerFunc{"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "trace": pprof.Trace}
	maps.Copy(all, instead)
	for path, f := range all {
		mux.HandleFunc("/debug/pprof/"+path, f)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// An error names the address, what was wrong with it, and what would be right.
func TestAddressesAreRefused(t *testing.T) {
	page := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><html>") }
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	for want, url := range map[string]string{
		"/debug/pprof/cmdline answers 404 Not Found":                elsewhere.URL,
		"want the address at which a program serves net/http/pprof": gone.URL,
		"answers with something else than the words of a command":   served(t, map[string]http.HandlerFunc{"cmdline": page}),
		"is not a URL of HTTP: want one as http://localhost:6060":   "ftp://localhost",
		"nothing could be recorded: no allocs was recorded: ": served(t, map[string]http.HandlerFunc{
			"profile": page, "trace": page, "allocs": page, "mutex": page, "block": page, "goroutine": page, "goroutineleak": page,
		}),
	} {
		_, _, err := recording.Live{URL: url, Seconds: 1}.Record(t.Context(), t.TempDir())
		if err == nil || !strings.Contains(err.Error(), want) && !strings.HasPrefix(want, "nothing could") {
			t.Errorf("%s: error %v, want one with %q", url, err, want)
		}
		if strings.HasPrefix(want, "nothing could") && (err == nil || !strings.Contains(err.Error(), "nothing could be recorded: ") || !strings.Contains(err.Error(), "it is a web page")) {
			t.Errorf("%s: error %v, want that there are web pages", url, err)
		}
	}
}

// A program that does not answer, and one that is asked to stop being asked, end it.
func TestAddressThatHangs(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	asked := make(chan struct{}, 1)
	hang := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}
	url := served(t, map[string]http.HandlerFunc{"cmdline": hang})
	_, _, err := recording.Live{URL: url, Seconds: 1}.Patient(50*time.Millisecond).Record(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "/debug/pprof/cmdline: no answer within 50ms") {
		t.Errorf("error %v, want that there was no answer", err)
	}
	select {
	case <-asked:
	default: // on a busy machine the request has not come as far
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	why := errors.New("enough")
	url = served(t, map[string]http.HandlerFunc{"profile": hang, "allocs": hang, "mutex": hang, "block": hang})
	go func() {
		<-asked
		cancel(why)
	}()
	if _, _, err := (recording.Live{URL: url, Seconds: 3600}).Record(ctx, t.TempDir()); !errors.Is(err, why) {
		t.Errorf("error %v, want %v", err, why)
	}
}
