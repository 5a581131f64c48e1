package queue_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/queue"
)

// A run of the machine has one name, which is a token of a subject.
func TestBoot(t *testing.T) {
	now := queue.Boot()
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
		if now == "" {
			t.Error("this run of the machine has no name")
		}
	}
	if strings.ContainsAny(now, " .*>\t\r\n\x00") || now != queue.Boot() {
		t.Errorf("this run of the machine is called %q, and then %q: want one token", now, queue.Boot())
	}
}
