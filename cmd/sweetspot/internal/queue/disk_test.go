package queue_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A disk that failed to flush is not trusted again. Any other error, such as of too many
// open files, passes, and what was not flushed because of it is flushed then.
func TestDiskAfterAnError(t *testing.T) {
	home := t.TempDir()
	msgs := filepath.Join(home, "sweetspot_q", "msgs")
	if err := os.MkdirAll(msgs, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, "sweetspot_q", name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("meta.sum")
	write("msgs/1.blk")
	var flushed []string
	var fails error
	sync := queue.SyncOf(home, home, func(f *os.File) error {
		flushed = append(flushed, filepath.Base(f.Name()))
		return fails
	})
	if err := sync("q"); err != nil {
		t.Fatal(err)
	}
	write("msgs/2.blk")
	away := filepath.Join(home, "away")
	if err := errors.Join(os.Rename(msgs, away), os.WriteFile(msgs, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := sync("q"); err == nil {
		t.Error("no error where the blocks cannot be read")
	}
	if err := errors.Join(os.Remove(msgs), os.Rename(away, msgs)); err != nil {
		t.Fatal(err)
	}
	flushed = nil
	if err := sync("q"); err != nil || !strings.Contains(strings.Join(flushed, " "), "2.blk msgs") {
		t.Errorf("after it was gone: flushed %v, %v; want 2.blk and its directory", flushed, err)
	}
	write("msgs/3.blk")
	fails = errors.New("input/output error")
	if err := sync("q"); !errors.Is(err, fails) {
		t.Errorf("%v, want %v", err, fails)
	}
	lost := fails
	fails = nil
	if err := sync("q"); !errors.Is(err, lost) {
		t.Errorf("after a flush that failed: %v, want that error for good", err)
	}
}

// NATS writes meta.inf, and then meta.sum. If a flush falls between the two, the next one has the disk keep
// the new meta.sum.
func TestDiskWhileDescribed(t *testing.T) {
	home := t.TempDir()
	name := func(name string) string { return filepath.Join(home, "sweetspot_q", name) }
	err := os.MkdirAll(name("msgs"), 0o700)
	for _, file := range []string{"meta.inf", "meta.sum", "meta.sum.tmp"} {
		err = errors.Join(err, os.WriteFile(name(file), []byte(file), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	sync := queue.SyncOf(home, home, func(f *os.File) error {
		if text, err := os.ReadFile(f.Name()); err == nil { // not a directory
			kept[string(text)] = true
		}
		if f.Name() == name("meta.sum") && !kept["meta.sum.tmp"] {
			return os.Rename(name("meta.sum.tmp"), name("meta.sum"))
		}
		return nil
	})
	for range 2 {
		if err := sync("q"); err != nil {
			t.Fatal(err)
		}
	}
	if !kept["meta.sum.tmp"] {
		t.Error("the new meta.sum was not flushed")
	}
}
