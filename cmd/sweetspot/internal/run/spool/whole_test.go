package spool_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
)

// appended makes a file that is appended to, of so many bytes.
func appended(t *testing.T, name string, n int) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(t.TempDir(), name), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(make([]byte, n)); err != nil {
		t.Fatal(err)
	}
	return f
}

// To look whether an output is whole takes nothing of what a process writes that the
// job has left behind.
func TestWholeLeavesOutputAlone(t *testing.T) {
	const block, blocks = 512, 20_000
	out, errs := appended(t, "out", 0), appended(t, "err", block)
	ended := make(chan error)
	go func() {
		text := bytes.Repeat([]byte("x"), block)
		for range blocks {
			if _, err := out.Write(text); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(out.Name())
			if err != nil || len(got) != block*blocks || bytes.Count(got, []byte("x")) != len(got) {
				t.Errorf("%d of %d blocks are there, %v", len(got)/block, blocks, err)
			}
			return
		default:
		}
		if err := spool.Whole(out, errs, false); err != nil {
			t.Fatal(err)
		}
	}
}

// What is tried is taken back.
func TestWholeLeavesTheSize(t *testing.T) {
	for _, alone := range []bool{true, false} {
		for _, n := range []int{0, 1, 512, 4096, 65536} {
			out, errs := appended(t, "out", n), appended(t, "err", 512)
			if err := spool.Whole(out, errs, alone); err != nil {
				t.Errorf("%d bytes, alone %v: %v", n, alone, err)
			}
			if st, err := out.Stat(); err != nil || st.Size() != int64(n) {
				t.Errorf("%d bytes, alone %v: %d after, %v", n, alone, st.Size(), err)
			}
		}
	}
}
