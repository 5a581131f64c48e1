//go:build unix

package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A job is in the queue soon after its line, also where the list does not end.
func TestPushAsLinesCome(t *testing.T) {
	t.Parallel()
	serve(t, t.TempDir(), func(q queue.Queue) {
		list := filepath.Join(t.TempDir(), "list")
		if err := syscall.Mkfifo(list, 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan string, 1)
		go func() {
			n, err := q.PushFile(t.Context(), list)
			done <- fmt.Sprint(n, err)
		}()
		w, err := os.OpenFile(list, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		for _, line := range []string{"a\n", "b\n"} {
			before, _, err := q.Left(t.Context())
			if err == nil {
				_, err = w.WriteString(line)
			}
			if err != nil {
				t.Fatal(err)
			}
			for until, now := time.Now().Add(time.Minute), before; now == before; now, _, err = q.Left(t.Context()) {
				if err != nil || time.Now().After(until) {
					t.Fatalf("%q is not pushed, %v", line, err)
				}
			}
		}
		w.Close()
		if got, want := <-done, "2 <nil>"; got != want {
			t.Errorf("pushed %s, want %s", got, want)
		}
	})
}
