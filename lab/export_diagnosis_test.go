package lab

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sweetspot-go/sweetspot/lab/dissect"
	"github.com/sweetspot-go/sweetspot/lab/figures"
)

// MeasureBriefly has samples be of short runs, with no load before them, and diagnoses of quick
// size look at their work for a moment.
func MeasureBriefly() {
	runsLeast, warmUp = time.Millisecond, 0
	profiledQuick = 200 * time.Millisecond
}

// JudgeDiagnosis judges figures of A8 at a size.
func JudgeDiagnosis(size string, points []figures.Point) PoolVerdict {
	s, err := scaleNamed(size)
	if err != nil {
		panic(err)
	}
	e := a8()
	v := e.judge(&results{e: e, points: points, scale: s, cpus: runtime.GOMAXPROCS(0)})
	return PoolVerdict{v.words, v.effect, v.ours, v.fits, v.notes}
}

// EscapesOf returns the escapes of the sources of an experiment. Test programs do
// not know the modules that they are built from, so they are from go.mod.
func EscapesOf(ctx context.Context, id string) (*dissect.Escaping, error) {
	text, err := os.ReadFile("go.mod")
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

// InFull is what the report has of A8 beside its figures, of little work.
func InFull(ctx context.Context) (string, error) {
	return (&runner{scale: quick, rounds: 1}).inFull(ctx)
}

// DefaultPair names the points that diagnose compares if none are named.
func DefaultPair(id, size string) (string, error) {
	d, err := new(diagnoseOptions).diagnosis(runner{scale: scaleOf(size)}, find(id), nil)
	if err != nil {
		return "", err
	}
	d.clean()
	return d.pair[0].p.name() + ", " + d.pair[1].p.name(), nil
}
