package lab

import (
	"context"
	"os"
	"runtime/debug"
	"strings"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/lab/dissect"
)

// EscapesOf returns the escapes of the sources of an experiment. Test programs do
// not know the modules that they are built from, so they are from go.mod.
func EscapesOf(ctx context.Context, id string) (*dissect.Escaping, error) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		return nil, err
	}
	var modules []*debug.Module
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(f) >= 2 && strings.HasPrefix(f[1], "v") {
			modules = append(modules, &debug.Module{Path: f[0], Version: f[1]})
		}
	}
	return dissect.Escapes(ctx, find(id).sources(), modules)
}
