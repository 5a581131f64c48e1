package dissect

import (
	"bytes"
	"context"
	"time"
)

// GroupOf returns the group of a stack, callees first.
func GroupOf(stack ...string) Group { return groupOf(stack) }

// CutSchedule traces w until the trace has so many bytes.
func CutSchedule(w Work, most int) (*Schedule, error) {
	var b bytes.Buffer
	f, err := traceRuns(context.Background(), &b, w, 50*time.Millisecond, most)
	if err != nil {
		return nil, err
	}
	f.Procs = 1
	return readSchedule(bytes.NewReader(b.Bytes()), f)
}
