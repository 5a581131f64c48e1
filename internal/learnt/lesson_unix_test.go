//go:build unix

package learnt_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/sweetspot-go/sweetspot/internal/learnt"
)

// TestReadDoesNotWait: a pipe in the place of a lesson is replaced like one that is damaged.
func TestReadDoesNotWait(t *testing.T) {
	file := fileOf(t.TempDir(), "a")
	if err := syscall.Mkfifo(file, 0o600); err != nil {
		t.Skip(err)
	}
	if l, err := learnt.Read(file); l != nil || err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%+v, %v, want that it is not a regular file", l, err)
	}
	keep(t, file, 4)
	if l, err := learnt.Read(file); err != nil || l.Limit != 4 {
		t.Errorf("%+v, %v once it was kept anew", l, err)
	}
}
