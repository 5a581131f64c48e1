package scan_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	if root := os.Getenv("SCAN_TEST_ROOT"); root != "" { // a program to be killed
		if _, err := scan.Start(context.Background(), scan.Config{Kind: scan.Fanotify, Roots: []string{root}}); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("x")
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

func makeFiles(t *testing.T, n int) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		path := filepath.Join(dir, []string{"", "sub"}[i%2], strconv.Itoa(i))
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

func start(t *testing.T, c scan.Config) *scan.Scanner {
	t.Helper()
	s, err := scan.Start(t.Context(), c)
	if errors.Is(err, scan.ErrNotPermitted) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Each open is scanned once, all of it, before it is allowed.
func TestScansWhatIsOpened(t *testing.T) {
	for _, kind := range []scan.Kind{scan.Socket, scan.Fanotify} {
		t.Run(string(kind), func(t *testing.T) {
			dir, paths := makeFiles(t, 200)
			s := start(t, scan.Config{Kind: kind, Roots: []string{dir}, Passes: 1})
			want := openAll(t, s, paths, 16)
			if _, err := s.Open(t.Context(), filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a file that does not exist: %v", err)
			}
			r, err := s.Close()
			if err != nil || r.Files != 200 || r.Bytes != want || r.Late != 0 {
				t.Errorf("%+v, %v: want 200 files and %d bytes", r, err, want)
			}
			if runtime.GOOS != "windows" && r.CPU <= 0 {
				t.Error("the scanner took no CPU time")
			}
			if again, err := s.Close(); again != r || err != nil {
				t.Errorf("closed again: %+v, %v", again, err)
			}
		})
	}
}

// The open takes as long as the answer.
func TestWaitsForTheAnswer(t *testing.T) {
	for _, kind := range []scan.Kind{scan.Socket, scan.Fanotify} {
		t.Run(string(kind), func(t *testing.T) {
			dir, paths := makeFiles(t, 3)
			const delay = 30 * time.Millisecond
			s := start(t, scan.Config{Kind: kind, Roots: []string{dir}, Delay: delay})
			began := time.Now()
			openAll(t, s, paths, 1)
			if took := time.Since(began); took < 3*delay {
				t.Errorf("three files one after the other were open after %v: an answer takes %v", took, delay)
			}
		})
	}
}

// With a bound that is shorter than the scan, files are allowed unscanned.
func TestFanotifyTimeout(t *testing.T) {
	dir, paths := makeFiles(t, 2)
	s := start(t, scan.Config{Kind: scan.Fanotify, Roots: []string{dir}, Delay: time.Hour, Timeout: 50 * time.Millisecond})
	openAll(t, s, paths, 2)
	if r, err := s.Close(); err != nil || r.Late != 2 || r.Files != 0 {
		t.Errorf("%+v, %v: want two files allowed late", r, err)
	}
}

// Only the process that started the scanner waits for it, and only in the tree.
func TestFanotifyLeavesOthersAlone(t *testing.T) {
	dir, paths := makeFiles(t, 2)
	elsewhere, others := makeFiles(t, 2)
	s := start(t, scan.Config{Kind: scan.Fanotify, Roots: []string{dir, elsewhere + "/sub"}, Passes: 1})
	for _, path := range append(paths, others...) {
		if err := exec.Command("cat", path).Run(); err != nil { // fanotify is Linux's, and so is cat
			t.Error(err)
		}
	}
	openAll(t, s, others, 1) // one of them is in sub
	if r, err := s.Close(); err != nil || r.Files != 1 {
		t.Errorf("%+v, %v: want one file scanned", r, err)
	}
}

func TestSocketTimeoutAndCancel(t *testing.T) {
	_, paths := makeFiles(t, 1)
	s := start(t, scan.Config{Delay: time.Hour, Timeout: 50 * time.Millisecond})
	if _, err := s.Open(t.Context(), paths[0]); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("error %v, want one that says there was no answer", err)
	}
	s = start(t, scan.Config{Delay: time.Hour})
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
	time.Sleep(20 * time.Millisecond)
	s.Close()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("open while the scanner was closed: %v", err)
	}
	if _, err := s.Open(t.Context(), paths[0]); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("open after the scanner was closed: %v", err)
	}
}

func TestStartErrors(t *testing.T) {
	for want, c := range map[string]scan.Config{
		"want socket or fanotify":    {Kind: "magic"},
		"want none of them negative": {Passes: -1},
		"want roots":                 {Kind: scan.Fanotify},
	} {
		if _, err := scan.Start(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", c, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scan.Start(ctx, scan.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
	_, err := scan.Start(t.Context(), scan.Config{Kind: scan.Fanotify, Roots: []string{filepath.Join(t.TempDir(), "gone")}})
	if err == nil || !errors.Is(err, scan.ErrNotPermitted) && !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a root that does not exist: %v", err)
	}
}
