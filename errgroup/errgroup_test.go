package errgroup_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/sweetspot-go/sweetspot"
	"github.com/sweetspot-go/sweetspot/errgroup"
)

// Programs that have one type where the other is expected keep compiling.
var (
	_ *sweetspot.Group                                         = new(errgroup.Group)
	_ func(context.Context) (*errgroup.Group, context.Context) = errgroup.WithContext
	_ interface {
		Go(func() error)
		TryGo(func() error) bool
		SetLimit(int)
		Wait() error
	} = new(errgroup.Group)
)

func TestWithContext(t *testing.T) {
	type key struct{}
	stop := errors.New("stop")
	g, ctx := errgroup.WithContext(context.WithValue(t.Context(), key{}, "value"))
	if ctx.Value(key{}) != "value" {
		t.Error("the context does not have the values of the outer one")
	}
	g.Go(func() error { return stop })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	if err := g.Wait(); err != stop || context.Cause(ctx) != stop {
		t.Errorf("Wait: %v, cause %v, want %v twice", err, context.Cause(ctx), stop)
	}
}

// TestTreeSums: the function of the example ends at an error, wherever it is.
func TestTreeSums(t *testing.T) {
	tree := fstest.MapFS{}
	for _, name := range []string{"a", "b", "c/d", "c/e", "z"} {
		tree[name] = &fstest.MapFile{Data: []byte(name)}
	}
	if sums, err := treeSums(t.Context(), tree); err != nil || len(sums) != len(tree) {
		t.Errorf("%d sums, %v, want %d", len(sums), err, len(tree))
	}
	if _, err := treeSums(t.Context(), unreadable{tree, "c/d"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that cannot be read: %v, want %v", err, fs.ErrPermission)
	}
	if _, err := treeSums(t.Context(), unreadable{tree, "c"}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a directory that cannot be read: %v, want %v", err, fs.ErrPermission)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := treeSums(ctx, tree); err != stop {
		t.Errorf("cancelled: %v, want %v", err, stop)
	}
	if s := disk.Stats(); s.InFlight != 0 || s.Waiting != 0 {
		t.Errorf("at the end %+v, want nothing in flight or waiting", s)
	}
}

// unreadable is a file system in which one name cannot be opened.
type unreadable struct {
	fs.FS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.FS.Open(name)
}
