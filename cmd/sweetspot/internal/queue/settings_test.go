package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run"
)

// Durability does not depend on the process that serves: one that is given no setting keeps that of the
// last one.
func TestSyncIsOfTheHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	on, off := true, false
	for i, step := range []struct {
		given *bool
		want  bool
	}{{nil, true}, {&off, false}, {nil, false}, {&on, true}, {nil, true}} {
		h := queue.OpenHome(dir)
		if err := h.Serve(nil, step.given); err != nil {
			t.Fatal(err)
		}
		if got := h.Durable(); got != step.want {
			t.Errorf("step %d: what is confirmed is on the disk: %t, want %t", i, got, step.want)
		}
		h.Close()
	}
}

// Nor does the bound of the store.
func TestStoreMaxIsOfTheHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i, step := range []struct{ given, want int64 }{{3 << 20, 3 << 20}, {-1, 3 << 20}, {4 << 20, 4 << 20}, {-1, 4 << 20}, {0, 0}, {-1, 0}} {
		h := queue.OpenHome(dir)
		if step.given >= 0 {
			h.StoreMax(run.Size(step.given))
		}
		if err := h.Serve(nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := h.StoreMaxIs(); got != step.want && (step.want > 0 || got <= 4<<20) { // 0: as the disk has room
			t.Errorf("step %d: the bound is %d, want %d", i, got, step.want)
		}
		h.Close()
	}
}

// A home that a newer version wrote is left alone, by servers and by clients.
func TestNewerHome(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		fmt.Sprintf(`{"format":%d,"sync":true,"more":1}`, queue.HomeFormat+1): "a newer version of sweetspot wrote it",
		`{"format":0}`: "want {",
		``:             "want {",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "home.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := queue.OpenHome(dir).Serve(nil, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Serve with %s: %v, want %q", text, err, want)
		}
		_, done, err := queue.OpenQueue(t.Context(), dir, "q")
		done()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("open with %s: %v, want %q", text, err, want)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if now, _ := os.ReadFile(filepath.Join(dir, "home.json")); string(now) != text || len(files) > 2 { // it, and the lock
			t.Errorf("the home has changed: %s, %v", now, files)
		}
	}
}
