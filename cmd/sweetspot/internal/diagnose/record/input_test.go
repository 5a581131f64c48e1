package record_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/record"
)

func TestAPipeIsReadInEachRun(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		w.WriteString("once")
		w.Close()
	}()
	got, err := record.ReadInputs(context.Background(), r, t.TempDir(), 3)
	if err != nil || !slices.Equal(got, []string{"once", "once", "once"}) {
		t.Errorf("three runs read %q, %v", got, err)
	}
}

func TestAPipeWithoutEndIsLeftWithTheContext(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // ends the read before the directory is removed
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(over)
	if _, err := record.ReadInputs(ctx, r, t.TempDir(), 1); err != over {
		t.Errorf("the error is %v, want the cause", err)
	}
}

func TestNoInput(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, in := range []*os.File{nil, null} {
		if got, err := record.ReadInputs(context.Background(), in, t.TempDir(), 1); got != nil || err != nil {
			t.Errorf("it reads %q, %v, want nothing", got, err)
		}
	}
}
