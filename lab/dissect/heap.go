package dissect

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A HeapVariable is a line at which the compiler puts something on the heap, with what
// was seen to be allocated there.
type HeapVariable struct {
	Place Place    `json:"place"`
	What  string   `json:"what"` // in the words of the compiler
	Why   []string `json:"why"`  // the steps by which it leaves, in its words too
	// Own and Spawned are those of the line in the profile of allocations.
	Own     Cost `json:"own"`
	Spawned Cost `json:"spawned"`
}

// HeapVariables reads what the compiler has written with -json=0,DIR below dir. It
// returns what the compiler puts on the heap at lines where started goroutines were
// seen to allocate; largest first.
func HeapVariables(dir string, seen *Weighing) ([]HeapVariable, error) {
	found := []HeapVariable{}
	if seen == nil {
		return found, nil
	}
	err := eachLogOpt(dir, func(v HeapVariable) {
		line := seen.Line(v.Place.File, v.Place.Line)
		if line.Spawned.Count == 0 {
			return
		}
		v.Place, v.Own, v.Spawned = line.Place, line.Own, line.Spawned
		same := func(o HeapVariable) bool { return o.Place == v.Place && o.What == v.What }
		if !slices.ContainsFunc(found, same) { // one way is enough
			found = append(found, v)
		}
	})
	slices.SortStableFunc(found, func(a, b HeapVariable) int {
		return cmp.Or(cmp.Compare(b.Spawned.Amount, a.Spawned.Amount), comparePlaces(a.Place, b.Place))
	})
	return found, err
}

// eachLogOpt calls f for what the compiler puts on the heap, by its files below dir.
func eachLogOpt(dir string, f func(HeapVariable)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		if err := readLogOpt(path, f); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

// readLogOpt reads a file of the compiler: a line of JSON that names the source, then
// one for each thing that it says. Lines count from 1 there.
func readLogOpt(path string, f func(HeapVariable)) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	var head struct {
		Version int    `json:"version"`
		File    string `json:"file"`
	}
	if !lines.Scan() {
		return cmp.Or(lines.Err(), fmt.Errorf("it is empty"))
	}
	if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
		return err
	}
	if head.Version != 0 || head.File == "" {
		return fmt.Errorf("it is of version %d, want 0", head.Version)
	}
	for lines.Scan() {
		var d struct {
			Range   struct{ Start struct{ Line int } }
			Code    string
			Message string
			Related []struct {
				Location struct {
					URI   string
					Range struct{ Start struct{ Line int } }
				}
				Message string
			} `json:"relatedInformation"`
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return err
		}
		// Those without a message come again with one.
		if d.Code != "escape" && d.Code != "escapes" || d.Message == "" {
			continue
		}
		v := HeapVariable{Place: Place{File: filepath.FromSlash(head.File), Line: d.Range.Start.Line}, What: d.Message, Why: []string{}}
		for _, r := range d.Related {
			step, is := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(r.Message, "escflow:")), "from ")
			if !is {
				continue
			}
			if u, err := url.Parse(r.Location.URI); err == nil && u.Path != "" {
				step += fmt.Sprintf(" at %s:%d", filepath.Base(u.Path), r.Location.Range.Start.Line)
			}
			v.Why = append(v.Why, step)
		}
		f(v)
	}
	return lines.Err()
}
