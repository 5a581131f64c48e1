package queue_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// Where a server that had a full disk cannot start again, queue serve starts another one, or
// ends and says why.
func TestServeAfterFailedRestart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, settings, want string
	}{
		{"serves again", "", ""},
		{"ends", "no settings", "home.json says"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			h := queue.OpenHome(t.TempDir())
			said, ended := make(chan string, 100), make(chan error, 1)
			go func() { ended <- queue.ServeUntil(ctx, h, func(text string) { said <- text }) }()
			hears(t, said, ended, "serving ")
			if test.settings != "" {
				if err := os.WriteFile(h.Path("home.json"), []byte(test.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h.RestartFails()
			if test.want == "" {
				hears(t, said, ended, "serving ")
				cancel()
			}
			err := <-ended
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("serve ends with %v, want %q", err, test.want)
			}
		})
	}
}

// hears waits until something that begins so is said.
func hears(t *testing.T, said <-chan string, ended <-chan error, begin string) {
	t.Helper()
	for {
		select {
		case text := <-said:
			if strings.HasPrefix(text, begin) {
				return
			}
		case err := <-ended:
			t.Fatalf("it ended with %v, want %q", err, begin)
		}
	}
}
