package dissect

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// GroupOf returns the group of a stack, callees first.
func GroupOf(stack ...string) Group { return groupOf(stack) }

// CutSchedule traces w until the trace has so many bytes.
func CutSchedule(dir string, w Work, most int) (*Schedule, error) {
	f, err := create(dir, "trace.out", func(file *os.File) (Facts, error) {
		return traceRuns(context.Background(), file, w, 50*time.Millisecond, most)
	})
	if err != nil {
		return nil, err
	}
	f.Procs = 1
	return openSchedule(filepath.Join(dir, "trace.out"), f)
}
