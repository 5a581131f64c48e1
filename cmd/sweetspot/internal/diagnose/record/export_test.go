package record

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/diagnose/evidence"
)

// Briefly returns o with CPU profiles of so little time, and traces of so many bytes at
// most, if that is not 0.
func (o Options) Briefly(profiled time.Duration, traceMost int64) Options {
	o.profiled, o.traceMost = profiled, traceMost
	return o
}

// Wrap returns a file of package main as it is recorded.
func Wrap(text string) (wrapped string, main bool, err error) {
	b, main, err := wrap("main.go", []byte(text))
	return string(b), main, err
}

// ReadInputs returns what so many runs of a command would read of its standard input.
func ReadInputs(ctx context.Context, in *os.File, place string, runs int) ([]string, error) {
	r := &recorder{Options: Options{Input: in}, place: place}
	if err := r.takeInput(ctx); err != nil || r.input == nil {
		return nil, err
	}
	if r.input.kept {
		defer r.input.file.Close()
	}
	var all []string
	for range runs {
		f, err := r.input.rewind()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(f)
		if err != nil {
			return nil, err
		}
		all = append(all, string(text))
	}
	return all, nil
}

// Kept is what is kept of the output of a process.
func Kept(ctx context.Context, mute bool, name string, args ...string) (string, error) {
	p, err := job{name: name, args: args, mute: mute}.run(ctx)
	return string(p.stdout), err
}

// Untraced is untraced of a command that ran for wall.
func Untraced(wall time.Duration, stopped bool, files int) string {
	return process{wall: wall, stopped: stopped}.untraced(files)
}

// ControlOf is what is seen of a loop in registers after so many rounds.
func ControlOf(procs []int, rounds int) []float64 {
	r, o := &recorder{Options: Options{Procs: procs}}, &evidence.Observation{}
	for range rounds {
		r.control(o)
	}
	return o.Control
}

// Quoted is a flag among those that the go command splits at spaces.
var Quoted = quoted

// Steadiness is what the machine adds at those of the values of GOMAXPROCS that are compared,
// which it returns, too.
func Steadiness(procs ...int) (least, most int, times float64) {
	o := Options{Procs: procs}
	all := o.gomaxprocs()
	return all[0], all[len(all)-1], o.Steadiness()
}
