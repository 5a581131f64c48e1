package lab_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/sweetspot-go/sweetspot/lab"
)

func startScanner(t *testing.T) lab.Scanner {
	t.Helper()
	s, err := lab.StartScanner()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fileOf writes a file of n bytes.
func fileOf(t *testing.T, dir string, n int) (path string) {
	t.Helper()
	path = filepath.Join(dir, fmt.Sprint(n))
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each file that is opened is scanned once, all of it, before it is open.
func TestScansWhatIsOpened(t *testing.T) {
	s, dir := startScanner(t), t.TempDir()
	const workers, files = 8, 25
	var wg sync.WaitGroup
	want := int64(0)
	for w := range workers {
		var paths []string
		for i := range files {
			n := 1000 + w*files + i
			want += int64(n)
			paths = append(paths, fileOf(t, dir, n))
		}
		wg.Go(func() {
			for _, path := range paths {
				f, err := s.Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				f.Close()
			}
		})
	}
	wg.Wait()
	if got, err := s.Scanned(); got != want || err != nil {
		t.Errorf("%d bytes are scanned, error %v, want %d", got, err, want)
	}
	large := fileOf(t, dir, 1<<20) // some buffers of it
	f, err := s.Open(large)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Scanned(); got != want+1<<20 || err != nil {
		t.Errorf("%d bytes are scanned, error %v, want %d before the file is open", got, err, want+1<<20)
	}
	if n, err := io.Copy(io.Discard, f); n != 1<<20 || err != nil {
		t.Errorf("%d bytes can be read, error %v", n, err)
	}
	f.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := s.Open(large); err == nil || !strings.Contains(err.Error(), "the scanner: ") {
		t.Errorf("opened after the end of the scanner: %v", err)
	}
}

// A scanner that nobody has asked for anything has not done its work.
func TestScannerOfNothing(t *testing.T) {
	s := startScanner(t)
	if _, err := s.Open(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "scanned nothing") {
		t.Errorf("the error is %v", err)
	}
}

func TestKilledScannerIsAnError(t *testing.T) {
	s, path := startScanner(t), fileOf(t, t.TempDir(), 1)
	f, err := s.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	s.Kill()
	for { // until the connection has heard of it
		f, err := s.Open(path)
		if err != nil {
			break
		}
		f.Close()
	}
	if s.Close() == nil {
		t.Error("killed, and nobody noticed at the end")
	}
}

// A scanner that gives no answer is an error, and does not hold up who opens.
func TestScannerWithoutAnswers(t *testing.T) {
	path := fileOf(t, t.TempDir(), 1)
	synctest.Test(t, func(t *testing.T) {
		ours, its := net.Pipe()
		go io.Copy(io.Discard, its)
		s := lab.ScannerOver(ours)
		if _, err := s.Open(path); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("no answer within %v", lab.ScannedMost)) {
			t.Errorf("error %v, want one that says that there was no answer", err)
		}
		s.Disconnect()
		its.Close()
	})
}

// The process of a scanner ends with its input, though somebody is still connected.
func TestScannerEndsWithItsInput(t *testing.T) {
	address, end := serveHere(t, map[string]any{"kind": "scan"})
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := lab.ScannerOver(c)
	defer s.Disconnect()
	f, err := s.Open(fileOf(t, t.TempDir(), 5))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got, err := s.Scanned(); got != 5 || err != nil {
		t.Errorf("%d bytes are scanned, error %v, want 5", got, err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if _, err := s.Scanned(); err == nil {
		t.Error("there are answers after the end")
	}
}
