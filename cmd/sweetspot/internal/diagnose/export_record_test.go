package diagnose

import (
	"context"
	"io"
	"os"
	"time"
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
