//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// retry tries what failed anew, until all is pushed. One in three is killed. It also looks at
// the results.
func (h *history) retry(over <-chan struct{}) {
	random := h.chance(2)
	for cut := false; ; {
		select {
		case <-over:
			if cut { // it may have left jobs without a result, as wait says: the next one pushes them
				h.ends(0, append([]string{"retry-failed", "q"}, h.home...)...)
			}
			return
		case <-time.After(*queuePace):
		}
		after := time.Duration(0)
		if random.IntN(3) == 0 {
			after = 20*time.Millisecond + time.Duration(random.Int64N(int64(50*time.Millisecond)))
		}
		h.count("retries")
		status, _ := h.ends(after, append([]string{"retry-failed", "q"}, h.home...)...)
		cut = status != 0
		h.look()
	}
}

// look reads the results, and compares those that were seen before.
func (h *history) look() map[int]string {
	status, out := h.ends(0, append([]string{"results", "q"}, h.home...)...)
	if status != 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts["results looked at"]++
	now := map[int]string{}
	last := 0
	for line := range strings.Lines(out) {
		var r struct {
			Job, Round int
			State      string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			continue // a word of the server that is away
		}
		if r.Job <= last {
			h.Errorf("job %d comes after job %d", r.Job, last)
		}
		last = r.Job
		if old := h.seen[r.Job]; strings.Contains(old, `"state":"done"`) && old != line {
			h.Errorf("the result of job %d was\n%.300sand is\n%.300s", r.Job, old, line)
		}
		now[r.Job], h.seen[r.Job] = line, line
	}
	return now
}

// check compares the results with what was pushed.
func (h *history) check() {
	results := map[string]int{}
	for job, line := range h.look() {
		var r struct {
			State, Error, Stdout string
			Values               []string
			Tries                int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Values) != 1 {
			h.Fatalf("%v: %.300s", err, line)
		}
		v := r.Values[0]
		results[v]++
		out, state := "out "+v+"\n", "done"
		switch {
		case strings.HasSuffix(v, "bad"):
			out, state = "", "failed"
		case strings.HasSuffix(v, "big"):
			out = strings.Repeat("x", 300_000) + out
		}
		if r.State != state || r.Stdout != out {
			h.Errorf("job %d is %s, want %s: %.500s", job, r.State, state, line)
		}
	}
	lost, twice := 0, 0
	for v, n := range results {
		if n > 1 {
			twice++
		}
		if !h.confirmed[v] && !h.doubtful[v] {
			h.Errorf("%s was never pushed", v)
		}
	}
	for v := range h.confirmed {
		if results[v] == 0 {
			lost++
		}
	}
	if lost > 0 || twice > 0 {
		h.Errorf("of %d jobs that were confirmed, %d have no result, and %d values have more than one", len(h.confirmed), lost, twice)
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "starts"))
	if err != nil {
		h.Fatal(err)
	}
	h.Logf("%d jobs confirmed, %d in doubt; %d have a result, %d lost, %d twice; %d runs; a server was back within %v; %v",
		len(h.confirmed), len(h.doubtful), len(results), lost, twice, bytes.Count(text, []byte("\n")), h.back.Round(time.Millisecond), h.counts)
}
