package scan_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/scan"
)

func TestMain(m *testing.M) {
	// The race detector would sleep for a second at the end of each process.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	scan.Main()
	os.Exit(m.Run())
}

func makeFiles(t *testing.T, n int) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for i := range n {
		path := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(path, []byte(strings.Repeat("x", 1000+i)), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return dir, paths
}

// openAll opens and reads all files, workers at a time, and returns their bytes.
func openAll(t *testing.T, s *scan.Scanner, paths []string, workers int) (bytes int64) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(paths); i += workers {
				f, err := s.Open(t.Context(), paths[i])
				if err != nil {
					t.Error(err)
					continue
				}
				n, err := io.Copy(io.Discard, f)
				f.Close()
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				bytes += n
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return bytes
}

// start starts a scanner whose timeout, unless it is asked for, never strikes a
// machine that does much else.
func start(t *testing.T, c scan.Config) *scan.Scanner {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = time.Hour
	}
	s, err := scan.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Each open is scanned once, all of it, before it is allowed.
func TestScansWhatIsOpened(t *testing.T) {
	dir, paths := makeFiles(t, 200)
	s := start(t, scan.Config{})
	want := openAll(t, s, paths, 16)
	if _, err := s.Open(t.Context(), filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	r, err := s.Close()
	if err != nil || r.Files != 200 || r.Bytes != want {
		t.Errorf("%+v, %v: want 200 files and %d bytes", r, err, want)
	}
	if again, err := s.Close(); again != r || err != nil {
		t.Errorf("closed again: %+v, %v", again, err)
	}
}

// The open takes as long as the answer.
func TestWaitsForTheAnswer(t *testing.T) {
	_, paths := makeFiles(t, 3)
	const delay = 30 * time.Millisecond
	s := start(t, scan.Config{Delay: delay})
	began := time.Now()
	openAll(t, s, paths, 1)
	if took := time.Since(began); took < 3*delay {
		t.Errorf("three files one after the other were open after %v: an answer takes %v", took, delay)
	}
}

func TestCancel(t *testing.T) {
	_, paths := makeFiles(t, 1)
	s := start(t, scan.Config{Delay: time.Hour})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if _, err := s.Open(ctx, paths[0]); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause of the context", err)
	}
	// Close ends an Open that waits, and each one after it.
	failed := make(chan error)
	go func() {
		_, err := s.Open(t.Context(), paths[0])
		failed <- err
	}()
	time.Sleep(20 * time.Millisecond) // so that it waits; the test holds without
	s.Close()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("open while the scanner was closed: %v", err)
	}
	if _, err := s.Open(t.Context(), paths[0]); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("open after the scanner was closed: %v", err)
	}
}

// A scanner that gives no answer within the timeout does not hold up Open.
func TestTimeout(t *testing.T) {
	_, paths := makeFiles(t, 1)
	s := start(t, scan.Config{Delay: time.Hour, Timeout: 10 * time.Second})
	s.SetTimeout(50 * time.Millisecond)
	if _, err := s.Open(t.Context(), paths[0]); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Errorf("error %v, want one that says there was no answer", err)
	}
	s.SetTimeout(time.Hour)
}

func TestStartErrors(t *testing.T) {
	if _, err := scan.Start(t.Context(), scan.Config{Delay: -1}); err == nil || !strings.Contains(err.Error(), "want none of them negative") {
		t.Errorf("a negative delay: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scan.Start(ctx, scan.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}
