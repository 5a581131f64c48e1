package lab

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

func e6() *experiment {
	return &experiment{
		id: "E6", size: streamSize,
		axis: streamAxis, better: higher,
		points: func(s scale) []point { return pointsOf(searchJobs(), s) },
		judge:  judgeSearch,
		short:  shortIn(func(scale) []*job { return searchJobs() }),
		untold: func(r *results) string {
			sweeps, _ := r.sweepsOf(searchJobs())
			n, w, portions := nearest(sweeps)
			return fmt.Sprintf("%s The number that comes nearest to being good everywhere is %g. In %s it had %s of the best, which is %g at a time there. Good means %g here, so it takes about %s to decide.",
				fewRounds(r), n, w.job.name, from(portions), w.best.X, clearly, r.roundsTake(roundsToDecide(portions, clearly), len(portions)))
		},
	}
}

// judgeSearch says whether one number would do in all environments. It compares the
// good numbers of each: those that are not clearly worse than the best.
func judgeSearch(r *results) verdict {
	sweeps, notes := r.sweepsOf(searchJobs())
	bests := each(sweeps, func(w sweep) string { return fmt.Sprintf("%g (%s)", w.best.X, w.job.name) })
	effect := numbersDiffer(sweeps)
	words := says(effect, "no fixed number is good everywhere",
		"one fixed number is nearly as good as the best everywhere",
		"whether one fixed number is good everywhere is undecided") + ": best are " + strings.Join(bests, ", ")
	return verdict{words: words, effect: effect, ours: worst(sweeps), notes: notes}
}

// The search task of the article: a fast grep over a real tree, here the sources
// of the Go toolchain, file after file and again from the first.

// sought is a text that some files have, which is checked.
const sought = "deadline"

// The environments of the search.
const (
	searchPlain   = "search"
	searchScanned = "search with an on-access scanner"
	searchOther   = "search with another GOMAXPROCS"
)

// searchJobs are the search in three environments, as in the article: with a
// scanner that each open waits for, without, and on another number of CPUs, half
// of them if there are several.
func searchJobs() []*job {
	other := max(1, runtime.GOMAXPROCS(0)/2)
	if runtime.GOMAXPROCS(0) == 1 {
		other = 2
	}
	numbers := func(s scale) []int {
		return powers(s, mostSwept)
	}
	return []*job{
		{name: searchScanned, numbers: numbers, open: func() (*work, error) { return openSearch(true) }},
		{name: searchPlain, numbers: numbers, open: func() (*work, error) { return openSearch(false) }},
		{name: searchOther, cpus: other, numbers: numbers, open: func() (*work, error) { return openSearch(false) }},
	}
}

// goSources returns the directory of the sources of the Go toolchain.
func goSources() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("the search needs the sources of the Go toolchain, but go env GOROOT fails; is Go installed? %w", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), "src")
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("the search needs the sources of the Go toolchain, which this installation of Go lacks: %w", err)
	}
	return dir, nil
}

// A searching is a search that goes on for ever.
type searching struct {
	files   []string
	found   []atomic.Int64 // lines found in each, plus 1; 0 as long as not searched
	open    func(path string) (*os.File, error)
	buffers sync.Pool // of *bytes.Buffer
}

func openSearch(scanned bool) (*work, error) {
	dir, err := goSources()
	if err != nil {
		return nil, err
	}
	return searchIn(dir, scanned)
}

func searchIn(dir string, scanned bool) (*work, error) {
	files, err := filesIn(dir)
	if err != nil {
		return nil, err
	}
	s := &searching{files: files, found: make([]atomic.Int64, len(files)), open: os.Open}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	if err := s.look(); err != nil {
		return nil, err
	}
	if !scanned {
		return &work{unit: s.unit, close: func() error { return nil }}, nil
	}
	scanner, err := startScanner()
	if err != nil {
		return nil, err
	}
	s.open = scanner.open
	return &work{unit: s.unit, close: scanner.close}, nil
}

func filesIn(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no file in %s", dir)
	}
	return files, err
}

// unit searches a file. Each search of the same file must find the same.
func (s *searching) unit(i int64) error {
	k := int(i % int64(len(s.files)))
	lines, err := s.search(s.files[k])
	if err != nil {
		return err
	}
	if !s.found[k].CompareAndSwap(0, lines+1) {
		if before := s.found[k].Load() - 1; before != lines {
			return fmt.Errorf("%s: %d lines with %q, and %d before", s.files[k], lines, sought, before)
		}
	}
	return nil
}

// keptMost is the largest buffer that is kept for the next file: nearly all files fit.
const keptMost = 256 << 10

// search returns how many lines of a file hold the text.
func (s *searching) search(path string) (lines int64, err error) {
	f, err := s.open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	b := s.buffers.Get().(*bytes.Buffer)
	if _, err := b.ReadFrom(f); err != nil {
		return 0, err
	}
	for rest := b.Bytes(); ; lines++ {
		at := bytes.Index(rest, []byte(sought))
		if at < 0 {
			break
		}
		_, rest, _ = bytes.Cut(rest[at:], []byte("\n"))
	}
	if b.Cap() <= keptMost {
		b.Reset()
		s.buffers.Put(b)
	}
	return lines, nil
}

// looked is how many files are also read in the plainest way, to check what the
// search finds in them.
const looked = 100

// look notes for some files how many lines the search has to find.
func (s *searching) look() error {
	for k := 0; k < len(s.files); k += len(s.files)/looked + 1 {
		text, err := os.ReadFile(s.files[k])
		if err != nil {
			return err
		}
		lines := int64(0)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, sought) {
				lines++
			}
		}
		s.found[k].Store(lines + 1)
	}
	return nil
}
