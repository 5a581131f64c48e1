package run

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/sweetspot-go/sweetspot/cmd/sweetspot/internal/run/template"
)

// longestFlag is the value of --longest-first: what tells how long the jobs take.
type longestFlag string

// bySize is the value for the sizes of the files that the values name. Others name a joblog.
const bySize = "size"

func (l *longestFlag) Set(s string) error {
	if s == "" {
		return badChoice(s, "--longest-first size, or the joblog of an earlier run")
	}
	*l = longestFlag(s)
	return nil
}

// order returns what puts the rows of the longest jobs first, or nil without the flag.
func (l longestFlag) order(t *template.Template) (func([][]string), error) {
	switch l {
	case "":
		return nil, nil
	case bySize:
		return func(rows [][]string) { longestFirst(rows, sizes(rows)) }, nil
	}
	f, err := os.Open(string(l))
	if err != nil {
		return nil, fmt.Errorf("--longest-first %s: want size, or the joblog of an earlier run: %w", l, bare(err))
	}
	defer f.Close()
	h := &history{name: string(l), flag: "--longest-first"}
	if _, err := h.read(f, true); err != nil {
		return nil, err
	}
	times := make(map[uint64]float64, len(h.jobs))
	for _, p := range h.jobs {
		times[p.command] = p.took
	}
	return func(rows [][]string) {
		var argv []string
		lengths := make([]float64, len(rows))
		for i, row := range rows {
			argv = t.Expand(argv[:0], row, template.Place{Seq: int64(i) + 1, Slot: 1, Total: int64(len(rows))})
			took, known := times[h.hash(quoteCommand(argv))]
			if !known {
				took = math.Inf(1) // it may be the longest
			}
			lengths[i] = took
		}
		longestFirst(rows, lengths)
	}, nil
}

// sizes returns the bytes of the files that each row names; a row that names no file counts as empty.
func sizes(rows [][]string) []float64 {
	all := make([]float64, len(rows))
	for i, row := range rows {
		for _, v := range row {
			if info, err := os.Stat(v); err == nil && info.Mode().IsRegular() {
				all[i] += float64(info.Size())
			}
		}
	}
	return all
}

// longestFirst sorts the rows by their lengths. Equal ones keep their order.
func longestFirst(rows [][]string, lengths []float64) {
	at := make([]int, len(rows))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	sorted := make([][]string, len(rows))
	for i, from := range at {
		sorted[i] = rows[from]
	}
	copy(rows, sorted)
}
