package run

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/process"
	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/spool"
	"github.com/sweetspot-go/sweetspot/internal/humanize"
)

// failures are the jobs that failed without a word, for the end of the run: the first
// with their commands, the others by their numbers.
type failures struct {
	mu    sync.Mutex
	first []failure
	more  map[process.Ending][]int64 // numbers by how the jobs ended, without what they used
	count int64                      // of more, numbers that are not kept included
}

type failure struct {
	seq  int64
	text string
	last string // the last line of its stderr
}

const (
	failuresShown = 5    // a screen has room for them and for what was before
	failuresKept  = 1000 // numbers, which bounds what a run with a million of them holds
	failuresWidth = 200  // characters of a line
	failuresTail  = 4096 // bytes of stderr in which the last line is looked for
)

// add takes in a job that has failed for good.
func (f *failures) add(j *job, command func([]string) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.first) < failuresShown {
		f.first = append(f.first, failure{
			seq:  j.seq,
			text: fmt.Sprintf("job %d failed with %s: %s", j.seq, j.end, humanize.Clip(command(j.argv), failuresWidth)),
			last: lastError(j.spool),
		})
		return
	}
	if f.count++; f.count > failuresKept {
		return
	}
	if f.more == nil {
		f.more = make(map[process.Ending][]int64)
	}
	how := process.Ending{Status: j.end.Status, Signal: j.end.Signal}
	f.more[how] = append(f.more[how], j.seq)
}

// tell says which jobs failed. What they said themselves is indented below.
func (f *failures) tell(tell, say func(string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.SortFunc(f.first, func(a, b failure) int { return cmp.Compare(a.seq, b.seq) })
	for _, j := range f.first {
		tell(j.text)
		if j.last != "" {
			say("  " + j.last)
		}
	}
	if f.count == 0 {
		return
	}
	var kinds []string
	for how, jobs := range f.more {
		kinds = append(kinds, how.String()+": "+ranges(jobs))
	}
	slices.Sort(kinds)
	if f.count > failuresKept {
		kinds = append(kinds, "…")
	}
	tell(fmt.Sprintf("%s more failed (--joblog FILE would have them all): %s", humanize.Grouped(f.count), humanize.Clip(strings.Join(kinds, "; "), failuresWidth)))
}

// lastError returns the last line of what a job wrote to stderr, without the steps of
// a progress bar, or "".
func lastError(s *spool.Spool) string {
	if s == nil {
		return ""
	}
	size, err := s.Err.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	from := max(0, size-failuresTail)
	text := make([]byte, size-from)
	n, _ := s.Err.ReadAt(text, from)
	text = bytes.TrimRight(text[:n], "\r\n\t ")
	// What --line-buffer has printed may be holes in the file by now.
	text = text[bytes.LastIndexAny(text, "\r\n\x00")+1:]
	return humanize.Clip(strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), failuresWidth)
}

// ranges returns numbers as people write them, such as 1-3, 7.
func ranges(n []int64) string {
	slices.Sort(n)
	var b strings.Builder
	for i := 0; i < len(n); {
		last := i
		for last+1 < len(n) && n[last+1] == n[last]+1 {
			last++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(n[i], 10))
		if last > i {
			b.WriteString("-" + strconv.FormatInt(n[last], 10))
		}
		i = last + 1
	}
	return b.String()
}
